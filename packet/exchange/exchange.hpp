// The exchange: every member of a group sends a message to every other, or to some, by the patent's
// fill and drain, under a policy. Transforms, traffic patterns and benchmarks all use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/endpoint.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/inline_payloads.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

class Combiner;
class ExchangeAwaiter;

/// One node's part in an exchange, non-blocking: start it when the data is ready, do something
/// else, test it, wait for it. A blocking exchange is start(), then wait(). Several exchanges may
/// be in progress at once; each is an object with its own handlers. Packets are sent and handled
/// whenever the node has a turn, which is while the program awaits anything. So a long computation
/// should await progress() now and then.
///
/// Construct it before the program's first await, because its handlers must exist when other nodes
/// start theirs. Make it before the run if the policy relays packets, because a node may forward
/// packets of others after all of its own have come: a packet for an exchange that has been
/// destroyed ends the run. Declare it after the arrays of its messages. If messages move by put,
/// other workers read these arrays until sent() counts the start; a program that fails before then
/// destroys the exchange first, which waits until they have stopped.
class Exchange final : public Outgoing, private PayloadSource {
 public:
  /// Uses plan.handlers() handlers from `handler` on. `plan` and `messages` must outlive it. Throws
  /// BadInput if the node has fewer named queues than the plan needs, or if it must use puts and
  /// the policy does not allow them.
  Exchange(Node& node, HandlerId handler, const Group& group, const ExchangePlan& plan,
           Messages& messages);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;

  /// Starts sending: every packet goes into an output queue as soon as there is room for it. May be
  /// called again, for the same or similar messages, if sent() has counted every earlier start and
  /// no peer still awaits an earlier start. This is necessary because packets do not say which
  /// start they belong to. Two ways ensure this:
  /// - a barrier after each start;
  /// - two exchanges that take turns, each started when test() of the other is true, if every
  ///   member sends something to every other.
  void start();
  /// Whether this node has received all packets of all starts, and no packet in the output queues
  /// needs this exchange or its data any more. True before the first start.
  bool test() const { return all_received() && all_sent() && is_seen(); }
  /// A program that awaits this goes on when test() is true.
  ExchangeAwaiter wait() const;
  /// A program that awaits this goes on when everything has been received; its own packets may
  /// still be in the queues.
  ExchangeAwaiter wait_received() const;
  /// A program that awaits this goes on when all of its own packets have left the queues.
  ExchangeAwaiter wait_sent() const;
  bool all_received() const { return received_.value() >= expected_; }
  bool all_sent() const { return sent_.value() == starts_; }
  /// Whether the processor's clock has reached the time at which an engine moved the last packet.
  /// If not, asks for a turn of the processor at that time, once for each such time.
  bool is_seen_or_looks() const {
    if (is_seen()) return true;
    if (std::exchange(asked_at_, moved_at_) != moved_at_) processor_->look_at(moved_at_);
    return false;
  }

  /// Packets received in all starts together.
  const Counter& received() const { return received_; }
  /// Packets expected in all starts so far.
  std::uint64_t expected() const { return expected_; }
  std::uint64_t starts() const { return starts_; }
  /// Number of starts whose packets have all been gathered, and whose puts are all done.
  const Counter& sent() const { return sent_; }
  /// What the node waits for, for the report of a stalled run.
  std::string waits_for() const;

  /// Counts packets from now on. Latencies go into a histogram that nodes of one lane share, and
  /// that must outlive the exchange. REQUIRES: before start().
  const ExchangeAudit& audit(LatencyHistogram& latency);
  const ExchangeAudit* audited() const { return end_.audit ? &*end_.audit : nullptr; }
  std::uint64_t forwarded() const { return forwarded_; }  ///< packets forwarded for others
  std::uint64_t acknowledgements() const { return acknowledgements_; }  ///< sent by this node

  /// Also returns true while the window is closed; the handler that opens the window posts this
  /// exchange again.
  bool fill(OutputQueues& queues) override;
  void prefetch() const override { fill_.prefetch(); }
  NextLook next_look() override;

  /// REQUIRES: it has an audit, does not combine messages and is not recorded.
  template <typename Archive>
  void serialize(Archive& archive) {
    TOROID_CHECK(end_.audit && combiner_ == nullptr && end_.node->record() == nullptr);
    archive.know(static_cast<Outgoing*>(this));
    archive.know(static_cast<PayloadSource*>(this));
    archive.know(static_cast<PayloadSource*>(&envelopes_));
    archive.know(static_cast<PayloadSource*>(&forwarded_payloads_));
    archive(fill_, queued_, expected_, received_, starts_, sent_, due_, look_, outstanding_,
            waits_for_window_, started_at_, moved_at_, asked_at_, waits_for_release_, stage_,
            forwarded_payloads_, forwarded_, acknowledgements_, envelopes_.waiting, *end_.audit);
  }

 private:
  class Sink;
  friend class Combiner;
  bool is_seen() const { return moved_at_ == 0 || processor_->now() >= moved_at_; }
  /// Whether the node's DMA engine fills, drains and stores, and the processor only writes
  /// descriptors.
  bool is_by_engine() const { return processor_ != end_.node; }
  /// A part of a packet's way: to the next node whose processor takes it out of the network.
  struct Pass {
    unsigned stage;
    Rank end;
  };
  /// Source of the payloads of packets that consist of an envelope only. The descriptor's cookie is
  /// the envelope.
  class EnvelopeSource final : public PayloadSource {
   public:
    std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t,
                         std::span<std::byte, kPayloadBytes> payload) override;
    std::uint64_t waiting = 0;  ///< packets that have not left
  };

  Fill fill_of_round_0() const;
  SendOrder order(std::uint32_t round) const;
  SendDescriptor describe(Rank member, std::uint32_t first, std::uint32_t limit);
  SendDescriptor describe_put(Rank member, std::uint32_t first, std::uint32_t packets);
  std::uint32_t packets_to_put(Rank member, std::uint32_t first, std::uint32_t limit) const;
  void note_queued(Rank member, std::uint32_t first, std::uint32_t packets);
  PutDescriptor put(const SendDescriptor& descriptor) override;
  std::size_t pack(const SendDescriptor& descriptor, std::uint32_t first, std::uint32_t packets,
                   std::span<std::byte> to) override;
  PutOffer offer(const SendDescriptor& descriptor, std::size_t least) override;
  void put_done(const PutDescriptor& put) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;
  Pass pass(unsigned stage, std::uint32_t id, Rank to) const;
  /// The largest number of packets, up to `limit`, that one descriptor may hold. REQUIRES: the
  /// window, if there is one, is open.
  std::uint32_t most_in_window(std::uint32_t limit) const;
  void hold_back(std::uint32_t packets);
  bool is_released();
  Tick release() const;
  /// Whether visits wait for a time: the policy's release time, or the time at which the processor
  /// has written the descriptor.
  bool waits_for_times() const { return end_.plan->has_releases() || is_by_engine(); }
  void note_moved() {
    if (is_by_engine()) moved_at_ = end_.node->now();
  }
  NextLook look_at_release();
  Tick look_after(Tick now) const;
  void hand_over();
  void note_left();
  void arrive(const Packet& packet);
  void arrive_by_number(const Packet& packet);
  std::size_t take(const PutDescriptor& put);
  std::size_t bring(const PutDescriptor& put);
  MessagePart part_from(const PutDescriptor& put) const;
  [[noreturn]] void refuse(const PutDescriptor& put) const;
  std::size_t take_packed(const PutDescriptor& put);
  void deliver(const Packet& packet, std::uint32_t id);
  void forward(const Packet& packet, const Envelope& envelope);
  void keep_payload(SendDescriptor& descriptor, const Packet& packet, const Envelope& envelope);
  void leave_envelope(SendDescriptor& descriptor, const Envelope& envelope);
  void acknowledge(Rank origin);
  void acknowledged(std::uint32_t packets);
  void record_start();
  void record_received();
  bool window_is_closed() const {
    const std::uint32_t window = end_.plan->settings().throttle.window;
    return window > 0 && outstanding_ >= window;
  }

  // The members that every packet touches come first.
  Endpoint end_;
  Counter received_;
  std::uint64_t expected_ = 0;
  std::uint64_t queued_ = 0;  ///< packets whose payload has not been gathered or taken yet
  bool is_plain_;  ///< whether this is the patent's plain fill, done by the processor: queues in
                   ///< turn, no relays, and nothing is held back
  std::uint32_t least_in_put_;  ///< number of packets of the shortest message that moves by put;
                                ///< 2^32 - 1 if none does
  bool waits_for_window_ = false;
  Fill fill_;
  std::uint64_t starts_ = 0;
  Counter sent_{"packets of the exchange sent"};
  std::unique_ptr<Combiner> combiner_;      ///< null if the policy does not combine messages
  std::vector<std::uint64_t> complete_at_;  ///< [start that is not complete]: the number of
                                            ///< received packets with which it is complete; used
                                            ///< only if the run is recorded

  // State of a throttled exchange.
  double due_ = 0;                 ///< when the next packet may go
  Tick look_ = 0;                  ///< when fill() is tried again
  std::uint32_t outstanding_ = 0;  ///< packets that are not acknowledged yet, if there is a window

  // State of an exchange with release times, or with an engine that waits for its descriptors.
  Node* processor_;  ///< its program starts the exchange; end_.node moves the packets
  Tick started_at_ = 0;
  Tick moved_at_ = 0;          ///< when the engine finished moving the last packet
  mutable Tick asked_at_ = 0;  ///< the value of moved_at_ for which the processor was last asked to
                               ///< look again
  bool waits_for_release_ = false;  ///< in the last fill(), the time of the current visit had not
                                    ///< come

  // State of an exchange whose packets go by way of other nodes.
  unsigned stage_ = 0;  ///< stage of the packet described last
  EnvelopeSource envelopes_;
  InlinePayloads forwarded_payloads_;
  std::uint64_t forwarded_ = 0;
  std::uint64_t acknowledgements_ = 0;
  Attachment attachment_;
};

class [[nodiscard]] ExchangeAwaiter final : public Awaiter {
 public:
  enum class For : std::uint8_t { all, received, sent };
  ExchangeAwaiter(const Exchange& exchange, For what) : exchange_(&exchange), what_(what) {}
  bool ready() override {
    const bool counted = (what_ == For::sent || exchange_->all_received()) &&
                         (what_ == For::received || exchange_->all_sent());
    return counted && exchange_->is_seen_or_looks();
  }
  std::string text() const override { return exchange_->waits_for(); }

 private:
  const Exchange* exchange_;
  For what_;
};

inline ExchangeAwaiter Exchange::wait() const {
  return {*this, ExchangeAwaiter::For::all};
}
inline ExchangeAwaiter Exchange::wait_received() const {
  return {*this, ExchangeAwaiter::For::received};
}
inline ExchangeAwaiter Exchange::wait_sent() const {
  return {*this, ExchangeAwaiter::For::sent};
}

}  // namespace toroid
