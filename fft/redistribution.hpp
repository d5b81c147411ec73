// The array changes its distribution by active packets: each packet's payload goes straight to its
// place in the receiver's next array when it arrives. No staging buffer, no unpacking pass.
#pragma once

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

/// One node's part of an exchange. The argument of a packet whose elements are contiguous where
/// they go is the place of the first one in the receiver's array. That of any other says which
/// packet of which member's message it is; both ends walk the same Transfer.
class Redistribution final : public Messages {
 public:
  /// `source` and `target` are this node's local arrays in the two distributions; they outlive it.
  Redistribution(const Decomposition& decomposition, const Exchange& exchange, Rank self,
                 std::span<const Complex> source, std::span<Complex> target);
  /// The same from an array with a layout of its own.
  Redistribution(const Decomposition& decomposition, const Exchange& exchange, Rank self,
                 const NodeLayout& source_layout, std::span<const Complex> source,
                 std::span<Complex> target);

  const Group& group() const { return group_; }
  /// What stays on this node, of the current piece. Do it before the exchange starts or after; it
  /// touches no packet.
  void copy_own();

  /// Cuts the messages into one piece for each x that this node holds. From then on all calls are
  /// about one piece, and `source` holds its plane alone. False, and nothing is cut: the packets of
  /// some message do not follow the planes. Only the sender knows. REQUIRES: nothing was sent.
  [[nodiscard]] bool cut_by_planes();
  /// REQUIRES: nothing of the piece before remains to be gathered. `source` as the one before.
  void set_piece(std::uint32_t plane, std::span<const Complex> source);

  std::uint64_t bytes_to(Rank member) const override;
  std::uint64_t packets_expected() const override { return packets_expected_; }
  std::uint32_t most_packets() const override { return most_packets_; }
  bool has_payload() const override { return true; }
  MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const override;
  std::uint32_t gather(Rank member, std::uint32_t number,
                       std::span<std::byte> payload) const override;
  void arrive(const Packet& packet) override;

 private:
  /// The transfer to or from a member of the group.
  struct Peer {
    Rank member = ~Rank{0};
    Transfer transfer;
  };
  std::uint32_t packets_of_piece(const Transfer& transfer) const {
    return pieces_.quotient(transfer.packets());
  }
  std::uint32_t number_in_message(const Transfer& transfer, std::uint32_t number) const {
    return packets_of_piece(transfer) * piece_ + number;
  }
  const Transfer& to(Rank member) const;
  const Transfer& from(Rank member) const;
  Peer& slot(std::vector<Peer>& peers, Rank member) const {
    return peers[peers.size() == 1 ? 0 : member];
  }
  void arrive_in_run(const Packet& packet);
  void count_packets();
  NodeLayout layout(Distribution distribution, Rank member) const;

  const Decomposition* decomposition_;
  Exchange exchange_;
  Group group_;
  unsigned number_bits_;  ///< of an argument that names a packet of a message
  NodeLayout source_layout_;
  NodeLayout target_layout_;
  std::span<const Complex> source_;
  std::span<Complex> target_;
  std::uint64_t packets_expected_ = 0;
  std::uint32_t most_packets_ = 0;
  Divisor pieces_;  ///< of a message
  std::uint32_t piece_ = 0;

  /// Made when first asked for. One for each member, or a single one, the last used, where all of
  /// them would need more memory than the arrays.
  mutable std::vector<Peer> sending_;
  mutable std::vector<Peer> receiving_;
};

}  // namespace toroid
