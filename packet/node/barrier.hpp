// A barrier that is made of active packets. It is a dissemination barrier: it takes ceil(log2 P)
// rounds and has no coordinator.
// Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"

namespace toroid {

class Node;

/// The layer's own handler number for barrier packets.
inline constexpr HandlerId kBarrierHandler = 0;

/// One node's part in the machine's barriers, which follow one another.
class Barrier {
 public:
  explicit Barrier(Rank nodes);

  /// Notes that this node has reached a barrier, and tells other nodes.
  void enter(Node& node);
  /// Whether every node has reached the barrier that this node entered last.
  bool passed() const { return round_ == rounds_; }
  /// Counts a packet of round `round`. The packet may already belong to the next barrier.
  void on_packet(Node& node, std::uint32_t round);

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(arrived_, entered_, round_);
  }

 private:
  void prepare() {
    if (arrived_.empty()) arrived_.resize(rounds_);
  }
  void advance(Node& node);
  void tell(Node& node) const;
  void note(const Node& node) const;

  /// [round]: number of packets received so far. Empty before the first barrier to save memory,
  /// because most runs have no barrier and there may be many nodes.
  std::vector<std::uint64_t> arrived_;
  std::uint64_t entered_ = 0;  ///< number of barriers that this node has entered
  std::uint32_t rounds_;
  std::uint32_t round_;  ///< the current round; equal to rounds_ outside a barrier
};

}  // namespace toroid
