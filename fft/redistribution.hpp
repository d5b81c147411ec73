// The array changes its distribution by active packets: each packet's payload goes straight to its
// place in the receiver's next array when it arrives. No staging buffer, no unpacking pass.
#pragma once

#include <optional>

#include "fft/transfer.hpp"
#include "packet/all_to_all.hpp"

namespace toroid {

/// From one distribution to another among a group of nodes. REQUIRES of the caller: whatever a node
/// of the group holds before goes to nodes of the same group.
struct Exchange {
  Distribution from;
  Distribution to;
  unsigned first_axis;  ///< the group: nodes that differ along the grid axes first..last
  unsigned last_axis;
};

/// One node's part of an exchange. A packet's argument is the place of its first element in the
/// receiver's array; the receiver finds the sender from it, and with that the places of the others,
/// because both ends walk the same Transfer.
class Redistribution final : public Messages {
 public:
  static constexpr std::int64_t kPerPacket =
      std::int64_t{kPayloadBytes} / std::int64_t{sizeof(Complex)};

  /// `source` and `target` are this node's local arrays in the two distributions; they outlive it.
  Redistribution(const Decomposition& decomposition, const Exchange& exchange, Rank self,
                 std::span<const Complex> source, std::span<Complex> target);

  const Group& group() const { return group_; }
  /// What stays on this node. Do it before the exchange starts or after; it touches no packet.
  void copy_own();

  std::uint64_t bytes_to(Rank member) const override;
  std::uint64_t packets_expected() const override { return packets_expected_; }
  std::uint32_t most_packets() const override { return most_packets_; }
  bool has_payload() const override { return true; }
  std::uint32_t argument(Rank member, std::uint32_t packet) const override;
  void gather(Rank member, std::uint32_t packet, std::span<std::byte> payload) const override;
  void arrive(const Packet& packet) override;

 private:
  const Transfer& to(Rank member) const;
  const Transfer& from(Rank member) const;
  NodeLayout layout(Distribution distribution, Rank member) const;

  const Decomposition* decomposition_;
  Exchange exchange_;
  Group group_;
  NodeLayout source_layout_;
  NodeLayout target_layout_;
  std::span<const Complex> source_;
  std::span<Complex> target_;
  std::uint64_t packets_expected_ = 0;
  std::uint32_t most_packets_ = 0;

  /// The transfer used last, each way: consecutive packets mostly belong to one message.
  struct Cached {
    std::optional<Rank> member;
    NodeLayout other;
    Transfer transfer;
  };
  mutable Cached sending_;
  mutable Cached receiving_;
};

}  // namespace toroid
