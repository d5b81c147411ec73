// The all-to-all of MPI: a block of the same number of bytes for every member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/copy_bytes.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"

namespace toroid {

/// One node's blocks, in two buffers of equal layout: one block per member, in the members' order.
/// Packets are filled straight from the sender's buffer and emptied straight into the receiver's. A
/// packet's place is the offset of its first byte in the receiver's buffer.
class BlockMessages final : public UniformMessages {
 public:
  /// Throws BadInput if an offset in the receive buffer does not fit into the 32 bits of a place.
  static void check(Rank members, std::uint64_t bytes);
  /// `shape`: that of the group. `bytes`: bytes per member, which must pass check(). `per_packet`:
  /// payload bytes of a full packet, as in UniformMessages.
  BlockMessages(const Shape& shape, Rank self, std::uint64_t bytes,
                unsigned per_packet = kPayloadBytes);

  std::span<std::byte> to(Rank member) { return std::span(out_).subspan(member * bytes_, bytes_); }
  std::span<const std::byte> from(Rank member) const {
    return std::span(in_).subspan(member * bytes_, bytes_);
  }
  /// Copies the block that the node sends to itself, without packets.
  void copy_own() { copy_bytes(in_.data() + self_ * bytes_, to(self_).data(), bytes_); }

  bool has_payload() const override { return true; }
  bool has_places() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override;
  void arrive_at(std::uint32_t place, std::span<const std::byte> payload) override;
  void arrive(Rank from, std::uint32_t packet, std::span<const std::byte> payload) override;
  std::uint32_t packets_to_put(Rank) const override { return cut_.packets(); }
  const std::byte* source(Rank member) const override { return out_.data() + member * bytes_; }
  std::size_t take(Rank from, std::uint32_t first, std::uint32_t packets,
                   const std::byte* source) override;
  std::size_t pack_part(const MessagePart& part, std::span<std::byte> packed) const override;
  bool unpack_part(const MessagePart& part, std::span<const std::byte> packed) override;
  std::span<const std::byte> offer_part(const MessagePart& part, std::size_t least) const override;
  bool land_part(const MessagePart& part, std::vector<PutStretch>& landing) override;
  void pack(Rank member, std::vector<std::byte>& bytes) const override;
  void unpack(Rank from, std::span<const std::byte> bytes) override;

 private:
  Rank self_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

}  // namespace toroid
