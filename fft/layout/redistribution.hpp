// The array changes its spread: what one node sends to and receives from the others of its group,
// all at once or in pieces, planes of its part that travel together.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/transfer.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"

namespace toroid {

/// The geometry of an exchange for one node. Pieces of equally many planes are alike but for a
/// shift, so that one Transfer per peer serves all of them, and one more a last piece that is
/// shorter.
class Redistribution {
 public:
  /// REQUIRES: whatever a node of the group holds before goes to nodes of the same group; spreads
  /// outlive it.
  Redistribution(const Distribution& from, const Distribution& to, std::uint32_t element_bytes,
                 const Group& group, PieceRule rule);

  const Group& group() const { return group_; }
  std::uint32_t element_bytes() const { return element_bytes_; }
  /// Of the longest part among the group.
  std::uint32_t pieces() const { return static_cast<std::uint32_t>(expected_.size()); }
  std::uint64_t packets_expected(std::uint32_t piece) const { return expected_[piece]; }
  /// Of one piece of one message.
  std::uint32_t most_packets() const { return most_packets_; }

  /// A transfer of a piece, as if it were the first, and how much further the elements belong in
  /// the receiver's array.
  struct Peer {
    Rank member = ~Rank{0};
    Transfer transfer;
    std::int64_t plane_shift = 0;  ///< per plane
  };
  struct Message {
    const Transfer* transfer;  ///< null: nothing
    std::int64_t shift;
  };
  Message to(Rank member, std::uint32_t piece) const;
  Message from(Rank member, std::uint32_t piece) const;

 private:
  /// A node's planes in pieces: `whole` of equal length, then perhaps a shorter one.
  struct Cut {
    std::uint32_t whole = 0;
    std::int64_t planes = 0;  ///< of a whole one
    std::int64_t rest = 0;    ///< planes of the last one; 0: there is none
    std::uint32_t pieces() const { return whole + (rest > 0 ? 1 : 0); }
  };
  struct Peers {
    std::vector<Peer> whole;
    std::vector<Peer> rest;
  };
  Cut cut_of(const NodeLayout& layout) const;
  NodeLayout first_planes(const NodeLayout& layout, std::int64_t planes) const;
  void count_packets();
  void expect(const Cut& cut, std::uint64_t whole, std::uint64_t rest);
  Message message(Peers& peers, Rank member, const Cut& cut, std::uint32_t piece,
                  bool sending) const;
  void assign(Peer& peer, Rank member, std::int64_t planes, bool sending) const;
  NodeLayout layout(const Distribution& spread, Rank member) const {
    return spread.layout(group_.rank(member));
  }

  const Distribution* from_;
  const Distribution* to_;
  std::uint32_t element_bytes_;
  Group group_;
  PieceRule rule_;
  NodeLayout source_;
  NodeLayout target_;
  std::vector<Cut> cuts_;                ///< by member; only with pieces
  std::vector<std::uint64_t> expected_;  ///< packets, by piece
  std::uint32_t most_packets_ = 0;

  /// Made when first asked for. One for each member, or a single one, the last used, where all of
  /// them would need more memory than the arrays.
  mutable Peers sending_;
  mutable Peers receiving_;
};

}  // namespace toroid
