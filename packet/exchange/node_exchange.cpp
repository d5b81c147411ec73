#include "packet/exchange/node_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/all_to_all.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {
namespace {

/// A throttled processor whose packets are due and find no room tries again after so many cycles.
constexpr Tick kPoll = 500;

/// What to visit in a round: all, a sample, or only those that there are messages for.
SendOrder order_of(const ExchangeCase& exchange, Rank self, std::uint32_t round) {
  SendOrder order = exchange.order(self, round).first(exchange.options().peers);
  if (exchange.traffic().is_uniform_all_to_all()) return order;
  const std::vector<Rank> targets = exchange.traffic().targets(self);
  return targets.size() + 1 < exchange.shape().size() ? order.only(targets) : order;
}

Fill fill_of(const ExchangeCase& exchange, Rank self) {
  Fill::Reorder reorder;
  if (exchange.policy().changes_order() && !exchange.options().order)
    reorder = [&exchange, self](std::uint32_t round) { return order_of(exchange, self, round); };
  return Fill(order_of(exchange, self, 0),
              {static_cast<std::uint32_t>(exchange.most_packets(self)),
               exchange.settings().packets_per_visit},
              std::move(reorder));
}

/// Until all packets have come; with the source of what is missing where that can be told.
class ArrivalsAwaiter final : public Awaiter {
 public:
  explicit ArrivalsAwaiter(const NodeExchange& exchange) : exchange_(&exchange) {}
  bool ready() override { return exchange_->received().value() >= exchange_->packets_expected(); }
  std::string text() const override { return exchange_->waits_for(); }

 private:
  const NodeExchange* exchange_;
};

/// Sends, and waits for what comes.
Program run_exchange(Node& node, NodeExchange& exchange) {
  exchange.start();
  while (exchange.is_throttled() && !exchange.queued()) {
    const Tick look = exchange.next_look();
    co_await node.sleep_until(look);
    if (node.now() < look) co_await node.progress();  // nobody sleeps by the wall clock
  }
  ArrivalsAwaiter all(exchange);
  co_await all;
}

}  // namespace

/// The queues in turn, or by direction, for packets that begin with the first stage; the throttle
/// holds them back.
class NodeExchange::Sink {
 public:
  Sink(NodeExchange& exchange, OutputQueues& queues) : exchange_(&exchange), queues_(&queues) {}
  bool has_room() const {
    if (exchange_->window_is_closed()) return false;
    if (exchange_->is_throttled() && static_cast<double>(exchange_->node_->now()) < exchange_->due_)
      return false;
    return by_direction() ? all_have_room() : queues_->has_room(queues_->next());
  }
  void push(const SendDescriptor& descriptor) {
    const unsigned stage = exchange_->stage_;
    if (stage > 0)
      queues_->named(stage - 1).push(descriptor);
    else
      (*queues_)[by_direction() ? descriptor.header.hints().first().index : queues_->next()].push(
          descriptor);
  }
  void next_peer() { queues_->advance(); }
  void next_round() { queues_->restart(); }

 private:
  bool by_direction() const { return exchange_->case_->settings().queue_per_direction; }
  /// Which direction the next packet takes is not known before it is made.
  bool all_have_room() const {
    unsigned with_room = 0;
    const unsigned links = exchange_->node_->shape().links();
    while (with_room < links && queues_->has_room(with_room)) ++with_room;
    return with_room == links;
  }
  NodeExchange* exchange_;
  OutputQueues* queues_;
};

NodeExchange::NodeExchange(Node& node, const ExchangeCase& exchange)
    : ExchangePart(node, exchange),
      fill_(fill_of(exchange, node.rank())),
      packets_expected_(exchange.is_sample() ? 0 : exchange.expected(node.rank()).packets),
      received_(exchange.counter_name()) {
  const HandlerId handler = exchange.options().handler;
  node.on(handler, [this](const Packet& packet) { arrive(packet); });
  node.on(handler + 1, [this](const Packet&) { acknowledged(); });
}

Program NodeExchange::program() {
  return run_exchange(*node_, *this);
}

void NodeExchange::start() {
  if (!fill_.done()) node_->post(*this);
}

Tick NodeExchange::next_look() const {
  const auto due = static_cast<Tick>(std::ceil(due_));
  return due > node_->now() ? due : node_->now() + kPoll;
}

std::string NodeExchange::waits_for() const {
  const std::string count =
      fmt::format("{} at {} of {}", received_.name(), received_.value(), packets_expected_);
  const auto wrong = named_difference(case_->shape(), node_->rank(), expected(), outcome_.arrivals);
  return wrong ? fmt::format("{} ({})", count, *wrong) : count;
}

bool NodeExchange::fill(OutputQueues& queues) {
  fill_.run(Sink(*this, queues), [this](Rank to, std::uint32_t first, std::uint32_t limit) {
    return describe(to, first, limit);
  });
  waits_for_window_ = !fill_.done() && window_is_closed();
  return fill_.done() || waits_for_window_;
}

void NodeExchange::acknowledged() {
  --outstanding_;
  if (std::exchange(waits_for_window_, false)) node_->post(*this);
}

std::optional<SendDescriptor> NodeExchange::describe(Rank to, std::uint32_t first,
                                                     std::uint32_t limit) {
  case_->check_visit(node_->rank(), to);
  const std::uint64_t bytes = case_->traffic().bytes(node_->rank(), to);
  const MessageRun run = case_->run(bytes, first, limit);
  if (run.packets == 0) return std::nullopt;
  if (first == 0) note_message(to, bytes, 0);
  const Leg leg = this->leg(0, case_->id(node_->rank(), first), to);
  stage_ = leg.stage;
  SendDescriptor made =
      descriptor(leg.end, run.bytes, *this, std::uint64_t{to | leg.stage << 24} << 32 | first);
  made.packets = run.packets;
  for (std::uint32_t n = first; n < first + run.packets; ++n)
    note_sent(case_->id(node_->rank(), n), to);
  hold_back(run.packets);
  return made;
}

void NodeExchange::hold_back(std::uint32_t packets) {
  outstanding_ += packets;
  const double between = case_->settings().throttle.cycles_per_packet;
  due_ = std::max(due_, static_cast<double>(node_->now()) - between) + between * packets;
}

/// The next leg of a packet in this or a later stage; it ends elsewhere.
NodeExchange::Leg NodeExchange::leg(unsigned stage, std::uint32_t id, Rank to) const {
  if (case_->stages() == 1) return {0, to};
  const std::uint64_t key = case_->key(std::uint64_t{to} << 32 | id);
  for (;; ++stage) {
    const Rank next = case_->relay({stage, node_->rank(), case_->origin(id), to, key});
    if (next != node_->rank()) return {stage, next};
  }
}

std::uint32_t NodeExchange::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                   std::span<std::byte, kPayloadBytes> payload) {
  const std::uint32_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  const std::uint32_t id = case_->id(node_->rank(), packet);
  const Envelope envelope{id, static_cast<std::uint32_t>(descriptor.cookie >> 32)};
  const std::size_t begin = write_envelope(envelope, payload);
  if (data_)
    copy_payload(payload.data() + begin,
                 data_->to(envelope.to()).data() + std::size_t{packet} * case_->data_bytes(),
                 descriptor.header.payload_bytes() - begin);
  return argument(id);
}

std::uint32_t NodeExchange::EnvelopeSource::gather(const SendDescriptor& descriptor, std::uint32_t,
                                                   std::span<std::byte, kPayloadBytes> payload) {
  std::memcpy(payload.data(), &descriptor.cookie, sizeof descriptor.cookie);
  return descriptor.header.argument();
}

void NodeExchange::arrive(const Packet& packet) {
  const Envelope envelope = envelope_of(packet);
  if (envelope.to() == node_->rank())
    deliver(packet, envelope.id);
  else
    forward(packet, envelope);
}

/// In the queue of its stage; its time stays that of its injection at its origin.
void NodeExchange::forward(const Packet& packet, const Envelope& envelope) {
  const Leg leg = this->leg(envelope.stage() + 1, envelope.id, envelope.to());
  const Envelope next = Envelope::of(envelope.id, envelope.to(), leg.stage);
  const PacketHeader& head = packet.header;
  SendDescriptor descriptor{.header = node_->header(leg.end, head.handler(), head.payload_bytes(),
                                                    head.argument(), head.chunks()),
                            .source = &envelopes_,
                            .cookie = 0};
  if (data_)
    keep_payload(descriptor, packet, next);
  else
    std::memcpy(&descriptor.cookie, &next, sizeof next);
  ++outcome_.forwarded;
  node_->post(descriptor, leg.stage - 1);
}

void NodeExchange::keep_payload(SendDescriptor& descriptor, const Packet& packet,
                                const Envelope& envelope) {
  std::array<std::byte, kPayloadBytes> payload;
  std::ranges::copy(packet.bytes(), payload.begin());
  write_envelope(envelope, payload);
  descriptor.source = &forwarded_payloads_;
  descriptor.cookie =
      forwarded_payloads_.keep(std::span(payload).first(packet.header.payload_bytes()));
}

void NodeExchange::deliver(const Packet& packet, std::uint32_t id) {
  const Rank origin = case_->origin(id);
  note_arrival(packet, id);
  if (data_) {
    const auto data = data_of(packet);
    copy_payload(data_->from(origin).data() + std::size_t{case_->number(id)} * case_->data_bytes(),
                 data.data(), data.size());
  }
  received_.bump();
  if (received_.value() == packets_expected_) note_complete(0);
  if (case_->settings().throttle.window > 0) acknowledge(origin);
}

void NodeExchange::acknowledge(Rank origin) {
  ++outcome_.acknowledgements;
  const PacketHeader header = node_->header(origin, case_->options().handler + 1, 0, 0, 1);
  node_->post(SendDescriptor{.header = header, .source = nullptr, .cookie = 0},
              case_->stages() - 1);
}

}  // namespace toroid
