// drain: the patent's FIG. 10. It moves each packet from its output queue to the least full of the
// injection FIFOs that serve the packet's possible directions. Other rules exist for comparison.
//
// Difference from the patent's text: the flowchart would spin until a FIFO has room. run() returns
// instead, so that the processor can receive packets, and the next run() resumes where this one
// stopped.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/drain_rules.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/queue_head_lookup.hpp"
#include "hal/send_descriptor.hpp"

namespace toroid {

/// FIG. 10 for one node: its position among the queues, and its counts.
class Drain {
 public:
  explicit Drain(DrainRule rule = DrainRule::least_full) : rule_(rule) {}

  /// Step 1002: begins a node's turn, in which run() may be called several times.
  void begin_turn(const OutputQueues& queues) {
    ++profile_.turns;
    const std::uint64_t queued = queues.profile().packets - profile_.packets;
    profile_.queued += queued;
    profile_.most_queued = std::max(profile_.most_queued, queued);
    profile_.idle_turns += queues.empty() ? 1 : 0;
  }

  /// Moves at most `limit` packets by calling sink(descriptor, count, fifo), which must take the
  /// next `count` packets of the descriptor. Accounts for their chunks in `fifos`. Returns the
  /// number of packets moved; if that is less than `limit`, all queues are empty or stuck. A run
  /// that moves nothing ends the turn, as end_turn() does.
  template <std::invocable<const SendDescriptor&, std::uint32_t, unsigned> Sink>
  std::size_t run(OutputQueues& queues, InjectionFifos& fifos, std::size_t limit, Sink&& sink) {
    switch (rule_) {
      case DrainRule::least_full:
        return run_by(LeastFull{&turn_}, queues, fifos, limit, sink);
      case DrainRule::first_fit:
        return run_by(FirstFit(), queues, fifos, limit, sink);
      case DrainRule::round_robin:
        return run_by(Behind{&turn_}, queues, fifos, limit, sink);
    }
    return 0;
  }

  /// Ends a turn in which packets stay in the queues for lack of room, and counts why. REQUIRES:
  /// the last run() moved something; a run() that moves nothing has already done this.
  void end_turn(const OutputQueues& queues, const InjectionFifos& fifos) {
    TOROID_CHECK(has_moved_);
    note_end(queues, fifos);
  }

  /// Number of packets that have been moved.
  std::uint64_t packets() const { return profile_.packets; }
  DrainProfile profile() const {
    DrainProfile profile = profile_;
    stuck_on_.add_to(profile.stuck_on);
    return profile;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(turn_, queue_, stuck_on_, profile_);
  }

 private:
  // The drain rules. Each is a type of its own, so that the compiler makes an inner loop for each.
  struct LeastFull {
    unsigned* turn;  ///< equally full FIFOs come in turn, so no dimension comes first
    unsigned operator()(const InjectionFifos& fifos, DirectionSet possible, unsigned chunks) const {
      return fifos.least_full(possible, chunks, *turn);
    }
  };
  struct FirstFit {
    unsigned operator()(const InjectionFifos& fifos, DirectionSet possible, unsigned chunks) const {
      return first_fit(fifos, possible, chunks, 0);
    }
  };
  struct Behind {
    unsigned* last;
    unsigned operator()(const InjectionFifos& fifos, DirectionSet possible, unsigned chunks) const {
      const unsigned f = first_fit(fifos, possible, chunks, (*last + 1) % fifos.size());
      if (f != InjectionFifos::kNone) *last = f;
      return f;
    }
  };

  class Open;
  class Unknown;

  template <typename Rule, typename Sink>
  std::size_t run_by(Rule rule, OutputQueues& queues, InjectionFifos& fifos, std::size_t limit,
                     Sink& sink) {
    const std::size_t moved = queues.count() == 1 ? empty_only(rule, queues, fifos, limit, sink)
                                                  : visit(rule, queues, fifos, limit, sink);
    profile_.packets += moved;
    has_moved_ = moved > 0;
    if (moved == 0) note_end(queues, fifos);
    return moved;
  }

  template <typename Rule, typename Sink>
  static std::size_t empty_only(Rule rule, OutputQueues& queues, InjectionFifos& fifos,
                                std::size_t limit, Sink& sink) {
    Unknown room(fifos);
    return move_heads(rule, room, queues, 0, limit, sink);
  }

  struct Taken {
    unsigned fifo;
    std::uint32_t packets;  ///< 0 if no FIFO has room
  };
  /// Steps 1012 and 1014 for the next packet of queue iL: chooses a FIFO and accounts for the
  /// packet's chunks in it. If only one FIFO serves the packet's directions, does this at once for
  /// as many of the descriptor's packets as find room, but at most `most`.
  template <typename Rule>
  [[gnu::always_inline]] static Taken put(Rule rule, InjectionFifos& fifos,
                                          const OutputQueues& queues, unsigned iL,
                                          std::size_t most) {
    const DirectionSet possible = queues.front_hints(iL);
    const unsigned chunks = queues.front_chunks(iL);
    const unsigned fifo = rule(fifos, possible, chunks);
    if (fifo == InjectionFifos::kNone) return {0, 0};
    auto packets = static_cast<std::uint32_t>(std::min<std::size_t>(queues.front(iL).left(), most));
    if (packets > 1)
      packets = fifos.serving(possible) == 1 ? std::min(packets, fifos.room(fifo) / chunks) : 1;
    fifos.add(fifo, packets * chunks);
    return {fifo, packets};
  }

  /// The general case of several queues.
  template <typename Rule, typename Sink>
  [[gnu::noinline]] std::size_t visit(Rule rule, OutputQueues& queues, InjectionFifos& fifos,
                                      std::size_t limit, Sink& sink) {
    if (queues.heads() != nullptr) return visit_open(rule, queues, fifos, limit, sink);
    Open open(fifos);
    if (open.nowhere(queues.kinds())) return 0;
    return visit_all(open, queues, limit, [&](unsigned iL, std::size_t most) {
      return move_heads(rule, open, queues, iL, most, sink);
    });
  }

  /// Step 1006 for a few queues: visits each in turn, until a whole round has moved nothing.
  template <typename EmptyOut>
  std::size_t visit_all(Open& open, const OutputQueues& queues, std::size_t limit,
                        EmptyOut&& empty_out) {
    std::size_t moved = 0;
    unsigned iL = queue_;
    const unsigned count = queues.count();
    for (unsigned skipped = 0; skipped < count && moved < limit; ++skipped, iL = queues.after(iL)) {
      if (!open.may_let_out(queues, iL)) continue;
      const std::size_t here = empty_out(iL, limit - moved);
      if (here == 0) continue;
      moved += here;
      queue_ = iL;
      skipped = 0;
    }
    return moved;
  }

  /// The same for many queues: an index finds the queues whose head has room.
  template <typename Rule, typename Sink>
  [[gnu::noinline]] std::size_t visit_open(Rule rule, OutputQueues& queues, InjectionFifos& fifos,
                                           std::size_t limit, Sink& sink) {
    Unknown room(fifos);
    std::size_t moved = 0;
    for (unsigned iL = queue_; moved < limit; iL = queues.after(iL)) {
      const auto next = queues.heads()->first_open(iL, open_by_length(*queues.heads(), fifos));
      if (!next) break;
      const std::size_t here = move_heads(rule, room, queues, *next, limit - moved, sink);
      if (here == 0) break;
      moved += here;
      queue_ = iL = *next;
    }
    return moved;
  }

  static QueueHeadLookup::OpenDirections open_by_length(const QueueHeadLookup& heads,
                                                        const InjectionFifos& fifos) {
    QueueHeadLookup::OpenDirections open;
    for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
      if (heads.has_length(chunks)) open[chunks - 1] = fifos.open(chunks);
    return open;
  }

  void note_end(const OutputQueues& queues, const InjectionFifos& fifos) {
    has_moved_ = false;
    if (!fifos.open(1).meets(queues.kinds()) && !queues.empty())
      ++profile_.full_turns;
    else
      count_stuck(queues);
  }

  void count_stuck(const OutputQueues& queues) {
    ++profile_.stuck_turns;
    profile_.stuck_heads += queues.waiting();
    profile_.skipped_queues += queues.count() - queues.waiting();
    if (queues.heads() != nullptr) return queues.heads()->add_to(profile_.stuck_on);
    for (unsigned iL = 0; iL < queues.count(); ++iL)
      stuck_on_.add(queues.front_hints(iL), profile_.stuck_on);
  }

  /// Steps 1008 to 1014 for queue iL: moves packets from the queue's head until the queue is empty,
  /// its head is stuck, or `most` packets have moved. `Room` is Open or Unknown.
  template <typename Rule, typename Room, typename Sink>
  static std::size_t move_heads(Rule rule, Room& room, OutputQueues& queues, unsigned iL,
                                std::size_t most, Sink& sink) {
    std::size_t moved = 0;
    while (moved < most && room.may_let_out(queues, iL)) {
      const unsigned chunks = queues.front_chunks(iL);
      const Taken taken = put(rule, room.fifos(), queues, iL, most - moved);
      room.note(taken, chunks);
      if (taken.packets == 0) break;
      sink(queues.front(iL), taken.packets, taken.fifo);
      queues.pop_packets(iL, taken.packets);
      moved += taken.packets;
    }
    return moved;
  }

  /// The FIFOs and the directions in which they have room. For most stuck heads, one comparison
  /// with these directions shows that they are stuck.
  class Open {
   public:
    explicit Open(InjectionFifos& fifos) : fifos_(&fifos) { look(1); }
    InjectionFifos& fifos() { return *fifos_; }
    bool nowhere(DirectionSet kinds) const { return !directions_.meets(kinds); }

    /// Returns false if the queue is empty or its head finds no room, true if its head may find
    /// room.
    bool may_let_out(const OutputQueues& queues, unsigned iL) {
      if (queues.front_chunks(iL) < chunks_) look(queues.front_chunks(iL));
      return directions_.meets(queues.front_hints(iL));
    }
    /// Must be called after each put(), with its result and the length of the packet.
    void note(const Taken& taken, unsigned chunks) {
      if (taken.packets == 0)
        look(chunks);
      else if (fifos_->room(taken.fifo) < chunks_)
        look(chunks_);  // otherwise the open directions have not changed
    }

   private:
    void look(unsigned chunks) {
      chunks_ = chunks;
      directions_ = fifos_->open(chunks);
    }

    InjectionFifos* fifos_;
    unsigned chunks_ = 1;      ///< packet length for which directions_ was found
    DirectionSet directions_;  ///< packets of at least chunks_ chunks find no room in others
  };

  /// Used instead of Open if it need not be known where there is room. With a single queue, put()
  /// itself finds that the head is stuck, without reading its descriptor; on a busy node the head
  /// is mostly stuck. With many queues, the index has already found a head with room.
  class Unknown {
   public:
    explicit Unknown(InjectionFifos& fifos) : fifos_(&fifos) {}
    InjectionFifos& fifos() { return *fifos_; }
    bool may_let_out(const OutputQueues& queues, unsigned) const { return !queues.empty(); }
    void note(const Taken&, unsigned) const {}

   private:
    InjectionFifos* fifos_;
  };

  DrainRule rule_;
  bool has_moved_ = false;   ///< whether the last run() moved something, and the turn goes on
  unsigned turn_ = 0;        ///< see the drain rules
  unsigned queue_ = 0;       ///< iL: the queue from which the last packet came
  DirectionTally stuck_on_;  ///< counts not yet in profile_.stuck_on; unused if heads are indexed
  DrainProfile profile_;
};

}  // namespace toroid
