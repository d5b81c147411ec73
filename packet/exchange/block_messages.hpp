// The all-to-all that MPI knows: a block of the same number of bytes for every member.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/all_to_all.hpp"

namespace toroid {

/// Both buffers hold a block per member, in the members' order; blocks travel in packets that are
/// filled straight from one buffer and emptied straight into the other. A packet's argument is the
/// place of its first byte in the receiver's buffer.
class BlockMessages final : public Messages {
 public:
  /// Throws BadInput where a receive buffer is longer than an argument can say.
  static void check(Rank members, std::uint64_t bytes);
  /// `bytes` per member, which pass check().
  BlockMessages(Rank members, Rank self, std::uint64_t bytes);

  std::span<std::byte> to(Rank member) { return std::span(out_).subspan(member * bytes_, bytes_); }
  std::span<const std::byte> from(Rank member) const {
    return std::span(in_).subspan(member * bytes_, bytes_);
  }
  /// What stays here.
  void copy_own() { std::ranges::copy(to(self_), in_.data() + self_ * bytes_); }

  std::uint64_t bytes_to(Rank) const override { return bytes_; }
  std::uint64_t packets_expected() const override {
    return std::uint64_t{members_ - 1} * most_packets();
  }
  std::uint32_t most_packets() const override {
    return static_cast<std::uint32_t>(packets_for(bytes_));
  }
  bool has_payload() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override;
  void arrive(const Packet& packet) override;

 private:
  Rank members_;
  Rank self_;
  std::uint64_t bytes_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

}  // namespace toroid
