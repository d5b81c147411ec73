// Packets that do not fit in their router's record, which happens if many short packets fill a
// buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/lean/router_record.hpp"

namespace toroid::sim::lean {

/// A queue per input. All queues are linked lists in one pool, which uses no memory before the
/// first packet.
class OverflowQueues {
 public:
  explicit OverflowQueues(Rank nodes) : nodes_(nodes) {}

  void push(Rank node, unsigned input, PacketWord packet) {
    if (queues_.empty()) queues_.resize(std::size_t{nodes_} * kMostInputs);
    const std::uint32_t place = allocate(packet);
    Queue& queue = of(node, input);
    (queue.head == kNone ? queue.head : pool_[queue.tail].next) = place;
    queue.tail = place;
  }
  /// REQUIRES: not empty.
  PacketWord pop(Rank node, unsigned input) {
    Queue& queue = of(node, input);
    const std::uint32_t place = queue.head;
    queue.head = pool_[place].next;
    pool_[place].next = free_;
    free_ = place;
    return pool_[place].packet;
  }
  bool empty(Rank node, unsigned input) { return of(node, input).head == kNone; }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(queues_, pool_, free_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    PacketWord packet;
    std::uint32_t next;
  };
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };

  Queue& of(Rank node, unsigned input) { return queues_[std::size_t{node} * kMostInputs + input]; }
  std::uint32_t allocate(PacketWord packet) {
    if (free_ == kNone) {
      pool_.push_back({packet, kNone});
      return static_cast<std::uint32_t>(pool_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = pool_[place].next;
    pool_[place] = {packet, kNone};
    return place;
  }

  Rank nodes_;
  std::vector<Queue> queues_;
  std::vector<Entry> pool_;
  std::uint32_t free_ = kNone;
};

}  // namespace toroid::sim::lean
