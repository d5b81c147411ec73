// A node whose packets go straight to their destination, as over a switch. The torus is the address
// space only: no link is crossed, and what bounds a packet is the room in the destination's
// reception buffer, of which every worker has a ring.
#pragma once

#include "router/ring/node.hpp"

namespace toroid::ring {

/// A word alone on its cache line: each is written by a worker of its own.
struct alignas(64) Word {
  CountWord word{};
};

/// Where packets for a node arrive: a ring from each worker.
struct Reception {
  explicit Reception(std::size_t workers) : pushed(workers), popped(workers), inward(workers) {}
  std::vector<Word> pushed;  ///< [worker] that sends
  std::vector<Word> popped;
  std::vector<LinkMemory> inward;
};

class DirectNode final : public RingNode {
 public:
  /// `outward`: this node's worker's ends of the rings to all nodes, shared by the worker's nodes.
  DirectNode(const Machinery& machinery, Rank rank, std::span<const LinkMemory> inward,
             std::span<LinkSender> outward);

  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  bool has_news() const override;

 private:
  bool look() override;
  void forward() override;
  void expose_fifo(unsigned) override {}
  bool has_delivery() const override { return waiting_ > 0; }
  void give_back() override;
  bool holds_packets() const override;

  bool send_one(unsigned fifo);

  std::vector<LinkReceiver> in_;  ///< [worker]
  std::span<LinkSender> out_;     ///< [rank]
  std::size_t waiting_ = 0;       ///< packets that have arrived
  LinkSender* unpublished_ = nullptr;
};

}  // namespace toroid::ring
