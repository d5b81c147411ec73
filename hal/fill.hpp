// fill: the patent's FIG. 9. Puts k packets for each peer into the output queues, in d rounds of b.
//
// Differences from the letter, none of which changes the order: the loops can stop where a queue
// has no room and go on later (the patent allows filling and draining to run concurrently), and k
// need not be a multiple of b: the last round is short. The prose's "(i+1) mod" is one particular
// map.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>

#include "hal/output_queues.hpp"
#include "hal/send_order.hpp"

namespace toroid {

/// k packets go to each peer, b of them per visit; d = ceil(k / b) rounds. REQUIRES: b > 0.
struct Batching {
  std::uint32_t packets = 1;    ///< k
  std::uint32_t per_visit = 1;  ///< b
};

/// Where FIG. 9's three nested loops stand.
class Fill {
 public:
  Fill(SendOrder order, Batching batching) : order_(std::move(order)), batching_(batching) {
    CHECK_LT(0u, batching.per_visit);
  }

  bool done() const { return order_.size() == 0 || sent_ >= batching_.packets; }

  /// Goes on until done or until the queue whose turn it is has no room.
  /// make(peer, first packet 0..k-1, how many at most) -> optional SendDescriptor of one or more of
  /// them; none: a shorter message's end.
  template <std::invocable<Rank, std::uint32_t, std::uint32_t> Make>
  void run(OutputQueues& queues, Make&& make) {
    for (; !done(); next_peer(queues)) {
      const std::uint32_t end = std::min(sent_ + batching_.per_visit, batching_.packets);
      while (sent_ + in_visit_ < end) {
        if (!queues.has_room(queues.next())) return;
        const std::uint32_t first = sent_ + in_visit_;
        const std::optional<SendDescriptor> made = make(order_[visit_], first, end - first);
        if (!made) break;
        queues[queues.next()].push(*made);
        in_visit_ += made->packets;
      }
    }
  }

 private:
  void next_peer(OutputQueues& queues) {
    in_visit_ = 0;
    queues.advance();
    if (++visit_ < order_.size()) return;
    visit_ = 0;
    sent_ += batching_.per_visit;
    queues.restart();  // step 908: with it a destination keeps its queue in every round
  }

  SendOrder order_;
  Batching batching_;
  std::uint32_t sent_ = 0;      ///< packets that every peer got in the rounds done
  Rank visit_ = 0;              ///< iN
  std::uint32_t in_visit_ = 0;  ///< ib
};

}  // namespace toroid
