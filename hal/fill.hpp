// fill: the patent's FIG. 9. It puts k packets for each peer into the output queues, in d rounds of
// b packets per peer.
//
// There are two differences from the patent's text, which do not change the order of packets. The
// loops can stop at a queue without room and resume later; the patent allows filling and draining
// to run concurrently. And k need not be a multiple of b; if it is not, the last round has fewer
// packets. The order "(i+1) mod" of the patent's prose is one of the orders here
// (OrderRule::shift). OutputQueues counts the steps (FillProfile).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>

#include "hal/check.hpp"
#include "hal/output_queues.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// k packets go to each peer, b of them per visit, in d = ceil(k / b) rounds. REQUIRES: b > 0.
struct Batching {
  std::uint32_t packets = 1;    ///< k
  std::uint32_t per_visit = 1;  ///< b
};

/// The sink of a plain fill. Each visit to a peer uses the next output queue in turn.
class QueuesInTurn {
 public:
  explicit QueuesInTurn(OutputQueues& queues) : queues_(&queues) {}
  /// If this returns false, fill stops here and resumes in a later call.
  bool has_room() const { return queues_->has_room(queues_->next()); }
  /// Queues the descriptor that make() returns. Returns its number of packets.
  template <std::invocable Make>
  std::uint32_t push(Make&& make) {
    return queues_->emplace(queues_->next(), make);
  }
  void next_peer() { queues_->advance(); }
  void next_round() { queues_->restart(); }

 private:
  OutputQueues* queues_;
};

/// The state of FIG. 9's three nested loops: over rounds (906), peers (910) and packets (914).
class Fill {
 public:
  /// Makes the order of a round; rounds count from 0.
  using Reorder = std::function<SendOrder(std::uint32_t round)>;

  /// `order` is the order of the first round; `reorder` makes the orders of all later rounds.
  /// Without `reorder` all rounds use the same order, as in the patent.
  Fill(SendOrder order, Batching batching, Reorder reorder = {})
      : batching_(batching), order_(std::move(order)), reorder_(std::move(reorder)) {
    TOROID_CHECK_LT(0u, batching.per_visit);
    skip_empty_rounds();
  }

  /// Starts again with the first round.
  void restart() {
    if (reorder_ && sent_ >= batching_.per_visit) order_ = reorder_(0);
    sent_ = in_visit_ = 0;
    visit_ = 0;
    skip_empty_rounds();
  }

  bool done() const { return order_.size() == 0 || sent_ >= batching_.packets; }
  /// The peer of the current visit. REQUIRES: !done().
  Rank peer() const {
    TOROID_CHECK_IN_CHECKED_BUILD(!done());
    return order_[visit_];
  }
  /// The number of the current visit, counted over all rounds. REQUIRES: !done().
  std::uint64_t visit() const {
    TOROID_CHECK_IN_CHECKED_BUILD(!done());
    return std::uint64_t{sent_ / batching_.per_visit} * order_.size() + visit_;
  }
  /// Number of visits in one round.
  Rank visits() const { return order_.size(); }
  /// Prefetches the memory outside this object that the next visit touches.
  void prefetch() const { order_.prefetch(visit_); }

  /// Continues until done or until the next queue has no room. make(peer, first, most) returns a
  /// descriptor of 1 to `most` packets for the peer. `first`, 0 to k-1, is the number of the first
  /// of them. If the peer's message has ended, the descriptor has no packets.
  template <std::invocable<Rank, std::uint32_t, std::uint32_t> Make>
  void run(OutputQueues& queues, Make&& make) {
    run(QueuesInTurn(queues), std::forward<Make>(make));
  }

  /// The same for any sink with the four functions of QueuesInTurn.
  template <typename Sink, std::invocable<Rank, std::uint32_t, std::uint32_t> Make>
  void run(Sink sink, Make&& make) {
    for (; !done(); next_peer(sink)) {
      const std::uint32_t end = std::min(sent_ + batching_.per_visit, batching_.packets);
      while (sent_ + in_visit_ < end) {
        if (!sink.has_room()) return;
        const std::uint32_t first = sent_ + in_visit_;
        const Rank peer = order_[visit_];
        const std::uint32_t packets = sink.push([&] { return make(peer, first, end - first); });
        if (packets == 0) break;
        in_visit_ += packets;
      }
    }
  }

  /// Orders are not saved, because they can be made again from the number of the round.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(sent_, visit_, in_visit_);
    if (archive.loads() && reorder_ && sent_ > 0 && !done())
      order_ = reorder_(sent_ / batching_.per_visit);
  }

 private:
  template <typename Sink>
  void next_peer(Sink& sink) {
    in_visit_ = 0;
    sink.next_peer();
    if (++visit_ < order_.size()) return;
    visit_ = 0;
    sent_ += batching_.per_visit;
    if (reorder_ && !done()) order_ = reorder_(sent_ / batching_.per_visit);
    skip_empty_rounds();
    sink.next_round();  // step 908: each destination has the same queue in every round
  }

  /// In a sample a round may visit none of the peers for which there are messages.
  void skip_empty_rounds() {
    while (reorder_ && order_.size() == 0 && sent_ < batching_.packets) {
      sent_ += batching_.per_visit;
      if (sent_ < batching_.packets) order_ = reorder_(sent_ / batching_.per_visit);
    }
  }

  // Members that every visit touches come first.
  Batching batching_;
  std::uint32_t sent_ = 0;      ///< packets per peer in the completed rounds
  Rank visit_ = 0;              ///< iN
  std::uint32_t in_visit_ = 0;  ///< ib
  SendOrder order_;
  Reorder reorder_;
};

}  // namespace toroid
