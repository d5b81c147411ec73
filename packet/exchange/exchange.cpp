#include "packet/exchange/exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>

#include "packet/exchange/combiner.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/put_threshold.hpp"
#include "packet/node/settings.hpp"

namespace toroid {
namespace {

constexpr std::uint32_t kNoPuts = ~std::uint32_t{0};

/// Number of packets of the shortest message that moves by put; kNoPuts if none does. Packets that
/// are relayed or combined cannot move by put, because they are not part of an array.
std::uint32_t least_in_put(const Node& node, const ExchangePlan& plan) {
  const TransferMode mode = node.options().transfer;
  if (mode == TransferMode::packets || plan.relays() || plan.combines()) return kNoPuts;
  if (mode == TransferMode::put) return 1;
  return plan.settings().packets_per_visit < kLeastInPut ? kNoPuts : kLeastInPut;
}

/// Contents of the cookie of an exchange's own descriptors.
struct Cookie {
  Rank member;
  std::uint32_t first;  ///< number of a packet in the message

  static Cookie of(const SendDescriptor& descriptor) {
    return {static_cast<Rank>(descriptor.cookie >> 32),
            static_cast<std::uint32_t>(descriptor.cookie)};
  }
  std::uint64_t word() const { return std::uint64_t{member} << 32 | first; }
};

bool is_plain(const ExchangePlan& plan) {
  return !plan.relays() && !plan.has_window() && !plan.is_throttled() && !plan.has_releases() &&
         !plan.settings().queue_per_direction;
}

/// The node that moves the packets: the DMA engine if there is one and messages may move by put,
/// otherwise the processor.
Node& mover(Node& node, const ExchangePlan& plan) {
  Node* const engine = node.dma();
  const bool in_packets = node.options().transfer == TransferMode::packets;
  return engine == nullptr || in_packets || plan.relays() || plan.combines() ? node : *engine;
}

}  // namespace

/// Fills the output queues. A packet in the first stage goes to the next queue in turn, or to the
/// queue of its direction. A packet that skips the first stage goes to the named queue of its
/// stage. Window, release times and throttle hold back all of these packets.
class Exchange::Sink {
 public:
  Sink(Exchange& exchange, OutputQueues& queues) : exchange_(&exchange), queues_(&queues) {}
  bool has_room() const {
    const Exchange& x = *exchange_;
    if (x.window_is_closed()) return false;
    if (x.waits_for_times() && !exchange_->is_released()) return false;
    if (x.end_.plan->is_throttled() && static_cast<double>(x.end_.node->now()) < x.due_)
      return false;
    return by_direction() ? all_have_room() : queues_->has_room(queues_->next());
  }
  template <std::invocable Make>
  std::uint32_t push(Make&& make) {
    const SendDescriptor made = make();
    if (made.packets == 0) return 0;
    if (const unsigned stage = exchange_->stage_; stage > 0)
      queues_->named(stage - 1).push(made);
    else
      (*queues_)[by_direction() ? made.header.hints().first().index : queues_->next()].push(made);
    return made.message_packets();
  }
  void next_peer() { queues_->advance(); }
  void next_round() { queues_->restart(); }

 private:
  bool by_direction() const { return exchange_->end_.plan->settings().queue_per_direction; }
  /// All queues must have room: the direction of the next packet is not known before it is made.
  bool all_have_room() const {
    unsigned with_room = 0;
    const unsigned exits = exchange_->end_.node->shape().exits();
    while (with_room < exits && queues_->has_room(with_room)) ++with_room;
    return with_room == exits;
  }
  Exchange* exchange_;
  OutputQueues* queues_;
};

Exchange::Exchange(Node& node, HandlerId handler, const Group& group, const ExchangePlan& plan,
                   Messages& messages)
    : end_{&mover(node, plan), &plan, &messages, group, handler},
      received_(plan.counter_name()),
      is_plain_(is_plain(plan) && end_.node == &node),
      least_in_put_(least_in_put(node, plan)),
      fill_(fill_of_round_0()),
      processor_(&node),
      attachment_(node, *end_.node, "Exchange", *this) {
  if (node.options().named_queues < plan.named_queues())
    throw BadInput(fmt::format("policy {} needs {} named output queues, the node has {}",
                               plan.policy().name(), plan.named_queues(),
                               node.options().named_queues));
  if (node.options().transfer == TransferMode::put && least_in_put_ == kNoPuts)
    throw BadInput(cannot_be_put(plan.policy()));
  if (plan.combines()) combiner_ = std::make_unique<Combiner>(*this);
  using Handler = Node::PlainHandler;
  Handler arrivals = plan.label() == PacketLabel::place
                         ? Handler::of<&Exchange::arrive>(this)
                         : Handler::of<&Exchange::arrive_by_number>(this);
  arrivals.put = [](void* self, const PutDescriptor& put) {
    return static_cast<Exchange*>(self)->take(put);
  };
  end_.node->on(attachment_, handler, arrivals);
  if (plan.has_window())
    end_.node->on(
        attachment_, static_cast<HandlerId>(handler + 1),
        {[](void* self, const Packet&) { static_cast<Exchange*>(self)->acknowledged(1); }, this});
}

Exchange::~Exchange() {
  attachment_.detach(!all_sent() || envelopes_.waiting > 0 || !forwarded_payloads_.empty());
}

const ExchangeAudit& Exchange::audit(LatencyHistogram& latency) {
  TOROID_CHECK_EQ(starts_, 0u);
  end_.audit.emplace().latency = &latency;
  return *end_.audit;
}

/// The members to visit in a round: all, a sample, or only those that there are messages for.
SendOrder Exchange::order(std::uint32_t round) const {
  const ExchangePlan& plan = *end_.plan;
  SendOrder order =
      plan.order(plan.visitor(end_.self(), end_.node->rank(), round)).first(plan.format().peers);
  const std::optional<std::vector<Rank>> targets = end_.messages->targets();
  return targets && targets->size() + 1 < plan.shape().size() ? order.only(*targets) : order;
}

Fill Exchange::fill_of_round_0() const {
  if (end_.plan->combines()) return Fill(SendOrder(std::vector<Rank>{}), {0, 1});
  const std::uint32_t packets = end_.messages->most_packets();
  end_.plan->check_packets(packets);
  Fill::Reorder reorder;
  if (end_.plan->changes_order()) reorder = [this](std::uint32_t round) { return order(round); };
  return Fill(order(0), {packets, end_.plan->settings().packets_per_visit}, std::move(reorder));
}

void Exchange::start() {
  if (!all_sent())
    throw RunFailed(
        "an Exchange was started again before the packets of its last start had left; let the "
        "program wait for wait_sent()");
  ++starts_;
  if (combiner_) return combiner_->start();
  expected_ += end_.messages->packets_expected();
  record_start();
  fill_.restart();
  if (fill_.done()) return note_left();
  if (!is_plain_)
    started_at_ = processor_->now();  // a plain exchange does not need it, and reading a clock
                                      // takes a tenth of its time if it is short
  if (end_.plan->is_throttled()) look_ = look_after(started_at_);
  end_.node->post(*this);
  if (is_by_engine()) hand_over();
}

bool Exchange::fill(OutputQueues& queues) {
  waits_for_release_ = false;
  const auto make = [this](Rank member, std::uint32_t first, std::uint32_t limit) {
    return describe(member, first, limit);
  };
  if (is_plain_)
    fill_.run(queues, make);
  else
    fill_.run(Sink(*this, queues), make);
  waits_for_window_ = !fill_.done() && window_is_closed();
  if (fill_.done()) note_left();
  if (waits_for_window_) queues.note_stop();
  return fill_.done() || waits_for_window_;
}

SendDescriptor Exchange::describe(Rank member, std::uint32_t first, std::uint32_t limit) {
  const ExchangePlan& plan = *end_.plan;
  plan.check_visit(end_.self(), end_.node->rank(), member);
  const std::uint32_t open = is_plain_ ? limit : most_in_window(limit);
  if (const std::uint32_t packets = packets_to_put(member, first, open); packets > 0)
    return describe_put(member, first, packets);
  const MessageRun run = end_.messages->run(member, first, plan.most_in_descriptor(open));
  if (run.packets == 0) return SendDescriptor::none();
  note_queued(member, first, run.packets);
  if (is_plain_)
    return end_.descriptor(member, run.bytes, run.packets, *this, Cookie{member, first}.word());
  const Pass pass = this->pass(0, plan.id(end_.self(), first), member);
  stage_ = pass.stage;
  hold_back(run.packets);
  return end_.descriptor(pass.end, run.bytes, run.packets, *this,
                         Cookie{member | pass.stage << 24, first}.word());
}

/// How many packets from `first` on move by one put; 0 if the message does not move by put. A
/// message moves by put as a whole or not at all, even if a window lets only a part of it go at a
/// time. Under a window no put is packed: a packed put frees its array before the receiver has the
/// bytes, and nobody acknowledges it.
std::uint32_t Exchange::packets_to_put(Rank member, std::uint32_t first,
                                       std::uint32_t limit) const {
  if (least_in_put_ == kNoPuts) return 0;
  const PutReach reach = end_.node->put_reach(end_.group.rank(member));
  if (reach == PutReach::none || (reach == PutReach::packed && end_.plan->has_window())) return 0;
  const std::uint32_t all = end_.messages->packets_to_put(member);
  return all < least_in_put_ ? 0 : std::min(limit, all - std::min(first, all));
}

SendDescriptor Exchange::describe_put(Rank member, std::uint32_t first, std::uint32_t packets) {
  note_queued(member, first, packets);
  stage_ = 0;
  if (!is_plain_) hold_back(packets);
  const PacketHeader header = end_.node->header(end_.handler, 0, packets, 1);
  SendDescriptor made = end_.node->descriptor(end_.group.rank(member), header);
  made.source = this;
  made.cookie = Cookie{member, first}.word();
  made.is_put = true;
  return made;
}

void Exchange::note_queued(Rank member, std::uint32_t first, std::uint32_t packets) {
  queued_ += packets;
  if (!end_.audit) return;
  for (std::uint32_t n = first; n < first + packets; ++n)
    end_.note_sent(end_.plan->id(end_.self(), n), member);
}

PutDescriptor Exchange::put(const SendDescriptor& descriptor) {
  const auto [member, first] = Cookie::of(descriptor);
  return {.from = end_.node->rank(),
          .to = end_.group.rank(member),
          .window = end_.handler,
          .origin = end_.self(),
          .first = first,
          .packets = descriptor.header.argument(),
          .array = end_.messages->source(member),
          .source = this};
}

std::size_t Exchange::pack(const SendDescriptor& descriptor, std::uint32_t first,
                           std::uint32_t packets, std::span<std::byte> to) {
  TOROID_CHECK_LE(std::size_t{packets} * kPayloadBytes, to.size());
  const Cookie put = Cookie::of(descriptor);
  return end_.messages->pack_part({put.member, put.first + first, packets}, to);
}

PutOffer Exchange::offer(const SendDescriptor& descriptor, std::size_t least) {
  const auto [member, first] = Cookie::of(descriptor);
  return {.memory =
              end_.messages->offer_part({member, first, descriptor.header.argument()}, least)};
}

/// The completion of a put acknowledges all of its packets.
void Exchange::put_done(const PutDescriptor& put) {
  queued_ -= put.packets;
  note_left();
  if (end_.plan->has_window()) acknowledged(put.packets);
}

/// The next pass of a packet, in this or a later stage, that ends at another node.
Exchange::Pass Exchange::pass(unsigned stage, std::uint32_t id, Rank to) const {
  const ExchangePlan& plan = *end_.plan;
  if (!plan.relays()) return {0, to};
  const std::uint64_t key = plan.key(std::uint64_t{to} << 32 | id);
  for (;; ++stage) {
    const Rank next = plan.relay({stage, end_.self(), plan.origin(id), to, key}, end_.node->rank());
    if (next != end_.self()) return {stage, next};
  }
}

std::uint32_t Exchange::gather(const SendDescriptor& descriptor, std::uint32_t number,
                               std::span<std::byte, kPayloadBytes> payload) {
  const auto [member_and_stage, first] = Cookie::of(descriptor);
  const std::uint32_t packet = first + number;
  --queued_;
  note_left();
  if (end_.plan->label() == PacketLabel::place)
    return end_.messages->gather(member_and_stage, packet,
                                 payload.first(descriptor.header.payload_bytes()));
  const std::uint32_t id = end_.plan->id(end_.self(), packet);
  const Envelope envelope{id, member_and_stage};
  const std::size_t begin = end_.write_envelope(envelope, payload);
  if (end_.plan->format().payload)
    end_.messages->gather(envelope.to(), packet,
                          payload.first(descriptor.header.payload_bytes()).subspan(begin));
  return end_.argument(id);
}

std::uint32_t Exchange::EnvelopeSource::gather(const SendDescriptor& descriptor, std::uint32_t,
                                               std::span<std::byte, kPayloadBytes> payload) {
  std::memcpy(payload.data(), &descriptor.cookie, sizeof descriptor.cookie);
  --waiting;
  return descriptor.header.argument();
}

void Exchange::note_left() {
  if (!fill_.done() || queued_ > 0 || sent_.value() == starts_) return;
  sent_.bump();
  note_moved();
}

std::string Exchange::waits_for() const {
  if (received_.value() >= expected_)
    return "packets of its own exchange to leave its output queues";
  const std::string count =
      fmt::format("{} at {} of {}", received_.name(), received_.value(), expected_);
  const std::optional<Arrivals> expected = end_.messages->arrivals_expected();
  if (!expected || !end_.audit || combiner_) return count;
  const auto wrong =
      named_difference(end_.plan->shape(), end_.self(), *expected, end_.audit->arrivals);
  return wrong ? fmt::format("{} ({})", count, *wrong) : count;
}

void Exchange::arrive(const Packet& packet) {
  end_.messages->arrive_at(packet.header.argument(), packet.bytes());
  received_.bump();
  note_moved();
  if (end_.node->record() != nullptr) record_received();
}

void Exchange::arrive_by_number(const Packet& packet) {
  const Envelope envelope = end_.envelope_of(packet);
  if (combiner_) {
    end_.note_arrival(packet, envelope.id);
    received_.bump();
    return combiner_->arrive(envelope.id, end_.data_of(packet));
  }
  if (envelope.to() == end_.self())
    deliver(packet, envelope.id);
  else
    forward(packet, envelope);
}

std::size_t Exchange::take(const PutDescriptor& put) {
  if (put.stage == PutStage::offered) {
    if (!end_.messages->land_part(part_from(put), *put.landing)) refuse(put);
    return 0;
  }
  const std::size_t bytes = bring(put);
  end_.note_arrival(put);
  received_.bump(put.packets);
  if (end_.node->record() != nullptr) record_received();
  return bytes;
}

/// Makes sure that the bytes of a put are in place; returns their number.
std::size_t Exchange::bring(const PutDescriptor& put) {
  if (put.stage == PutStage::shared)
    return end_.messages->take(put.origin, put.first, put.packets, put.array);
  if (put.stage == PutStage::packed) return take_packed(put);
  end_.messages->landed(part_from(put));
  return total_of(*put.landing);
}

/// The part of a message that a put brings. It is checked, because the put comes from another
/// process, which may disagree about the message.
MessagePart Exchange::part_from(const PutDescriptor& put) const {
  if (put.origin >= end_.plan->shape().size() || put.origin == end_.self()) refuse(put);
  return {put.origin, put.first, put.packets};
}

void Exchange::refuse(const PutDescriptor& put) const {
  throw RunFailed(fmt::format(
      "received {} of {} that does not fit the message of member {}: {} packets from packet {} on",
      put.stage == PutStage::packed ? fmt::format("a part of {} bytes", put.packed_bytes)
                                    : "an offer",
      end_.plan->format().name, put.origin, put.packets, put.first));
}

std::size_t Exchange::take_packed(const PutDescriptor& put) {
  if (!end_.messages->unpack_part(part_from(put), put.packed())) refuse(put);
  return put.packed_bytes;
}

void Exchange::deliver(const Packet& packet, std::uint32_t id) {
  const ExchangePlan& plan = *end_.plan;
  const Rank origin = plan.origin(id);
  end_.note_arrival(packet, id);
  if (plan.format().payload) end_.messages->arrive(origin, plan.number(id), end_.data_of(packet));
  received_.bump();
  note_moved();
  if (end_.node->record() != nullptr) record_received();
  if (plan.has_window()) acknowledge(origin);
}

/// Posts the packet in the queue of its stage. The packet keeps the time of its injection at its
/// origin.
void Exchange::forward(const Packet& packet, const Envelope& envelope) {
  const Pass pass = this->pass(envelope.stage() + 1, envelope.id, envelope.to());
  const Envelope next = Envelope::of(envelope.id, envelope.to(), pass.stage);
  const PacketHeader& head = packet.header;
  SendDescriptor descriptor =
      end_.node->descriptor(end_.group.rank(pass.end), head.handler(), head.payload_bytes(),
                            head.argument(), head.chunks());
  if (end_.plan->format().payload)
    keep_payload(descriptor, packet, next);
  else
    leave_envelope(descriptor, next);
  ++forwarded_;
  end_.node->post(descriptor, pass.stage - 1);
}

void Exchange::keep_payload(SendDescriptor& descriptor, const Packet& packet,
                            const Envelope& envelope) {
  std::array<std::byte, kPayloadBytes> payload;
  std::ranges::copy(packet.bytes(), payload.begin());
  end_.write_envelope(envelope, payload);
  descriptor.source = &forwarded_payloads_;
  descriptor.cookie =
      forwarded_payloads_.keep(std::span(payload).first(packet.header.payload_bytes()));
}

void Exchange::leave_envelope(SendDescriptor& descriptor, const Envelope& envelope) {
  descriptor.source = &envelopes_;
  std::memcpy(&descriptor.cookie, &envelope, sizeof envelope);
  ++envelopes_.waiting;
}

void Exchange::acknowledge(Rank origin) {
  ++acknowledgements_;
  const auto handler = static_cast<HandlerId>(end_.handler + 1);
  end_.node->post(end_.node->descriptor(end_.group.rank(origin), handler, 0, 0, 1),
                  end_.plan->named_queues() - 1);
}

void Exchange::acknowledged(std::uint32_t packets) {
  outstanding_ -= packets;
  if (std::exchange(waits_for_window_, false)) end_.node->post(*this);
}

/// The messages of a start have the start's number.
void Exchange::record_start() {
  if (end_.node->record() == nullptr) return;
  for (const Rank member : order(0)) {
    end_.plan->check_visit(end_.self(), end_.node->rank(), member);
    if (const std::uint64_t bytes = end_.messages->bytes_to(member); bytes > 0)
      end_.record_message(processor_->now(), member, bytes, starts_ - 1);
  }
  complete_at_.push_back(expected_);
  record_received();
}

void Exchange::record_received() {
  for (; !complete_at_.empty() && received_.value() >= complete_at_.front();
       complete_at_.erase(complete_at_.begin()))
    end_.record_complete(starts_ - complete_at_.size() + 1);
}

}  // namespace toroid
