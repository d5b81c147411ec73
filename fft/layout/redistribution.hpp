// What one node sends to and receives from each other member of its group when an array changes its
// distribution.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::fft {

/// Throws BadInput if a layout is too long for an exchange among `members` nodes. Its places must
/// fit the 31 bits that a packet's argument has for them. If a node is alone, its elements must
/// have 32-bit numbers.
void check_extent(const NodeLayout& layout, Rank members);

/// The geometry of an exchange for one node. Everything is sent at once, or in pieces. A piece
/// consists of planes of the node's part that travel together.
///
/// Pieces of the same kind (PieceCut) differ only by a shift, so one Transfer per peer and kind
/// serves all of them.
class Redistribution {
 public:
  /// REQUIRES: everything that a node of the group holds in `from` belongs to nodes of the same
  /// group in `to`; both distributions outlive this object. Throws BadInput if a node's local array
  /// is too long for a packet's argument.
  Redistribution(const Distribution& from, const Distribution& to, std::uint32_t element_bytes,
                 const Group& group, PieceRule rule, std::uint32_t packet_bytes = kPayloadBytes);

  const Group& group() const { return group_; }
  std::uint32_t element_bytes() const { return element_bytes_; }
  /// The number of pieces of the group's longest part.
  std::uint32_t pieces() const { return static_cast<std::uint32_t>(expected_.size()); }
  /// Number of packets of a piece that all other members together send to this node.
  std::uint64_t packets_expected(std::uint32_t piece) const { return expected_[piece]; }
  /// The largest number of packets of a single piece that this node sends to a single member.
  std::uint32_t most_packets() const { return most_packets_; }

  /// What is sent between this node and a member in one piece.
  struct Message {
    const Transfer* transfer;  ///< that of the first piece of this kind; null if nothing is sent
    std::int64_t shift;        ///< elements to add to the places in the receiver's array
  };
  /// The bytes that the group's members send each other in a piece.
  std::unique_ptr<const Traffic> traffic(std::uint32_t piece) const;
  Message to(Rank member, std::uint32_t piece) const;
  Message from(Rank member, std::uint32_t piece) const;

 private:
  struct Peer {
    Rank member = ~Rank{0};
    Transfer transfer;             ///< that of the first piece of this kind
    std::int64_t plane_shift = 0;  ///< elements from one plane to the next in the receiver's array
  };
  using Peers = std::vector<std::vector<Peer>>;  ///< [kind of piece][member]
  PieceCut cut_of(const NodeLayout& layout) const;
  NodeLayout first_planes(const NodeLayout& layout, std::int64_t planes) const;
  void count_packets();
  std::uint32_t packets(const NodeLayout& from, const NodeLayout& to, std::int64_t planes) const;
  /// Adds the packets that a member sends to this node to expected_, which gets longer if the
  /// member has more pieces. Their number is computed once per kind of piece.
  void expect_from(Rank member, const PieceCut& cut);
  Message message(Peers& peers, Rank member, std::uint32_t piece, bool sending) const;
  void assign(Peer& peer, Rank member, std::int64_t planes, bool sending) const;
  NodeLayout layout(const Distribution& distribution, Rank member) const {
    return distribution.layout(group_.rank(member));
  }

  const Distribution* from_;
  const Distribution* to_;
  std::uint32_t element_bytes_;
  std::uint32_t packet_bytes_;  ///< payload of a full packet
  Group group_;
  PieceRule rule_;
  NodeLayout source_;
  NodeLayout target_;
  std::vector<PieceCut> cuts_;           ///< one per member; empty if there are no pieces
  std::vector<std::uint64_t> expected_;  ///< number of packets of each piece
  std::uint32_t most_packets_ = 0;

  /// Transfers are made when they are first used. If the transfers of all members need no more
  /// memory than the node's array, all are kept, otherwise only the last one used.
  mutable Peers sending_;
  mutable Peers receiving_;
};

}  // namespace toroid::fft
