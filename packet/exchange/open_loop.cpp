#include "packet/exchange/open_loop.hpp"

#include <algorithm>
#include <cmath>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// Purposes for which random streams are made from a node's seed. The streams differ from each
/// other and from that of the node's send order.
constexpr std::uint64_t kTimes = 0x6f70656e00000000;
constexpr std::uint64_t kDestinations = 0x6c6f6f7000000000;

constexpr Tick kNever = ~Tick{0};

/// Uniform in (0, 1].
double uniform(Random& random) {
  return static_cast<double>((random.next() >> 11) + 1) * 0x1p-53;
}

}  // namespace

ArrivalTimes::ArrivalTimes(ArrivalRule arrivals, double per_cycle, Random random)
    : arrivals_(arrivals), per_cycle_(per_cycle), random_(random), phase_(uniform(random_)) {
  TOROID_CHECK(0 <= per_cycle && per_cycle <= 1);
}

Tick ArrivalTimes::next() {
  TOROID_CHECK(per_cycle_ > 0);
  if (arrivals_ == ArrivalRule::bernoulli) return last_ += gap();
  return static_cast<Tick>(std::min(phase_++ / per_cycle_, static_cast<double>(kLastTick)));
}

/// Cycles until the next message. They are drawn from a geometric distribution, by the inverse of
/// its distribution function.
Tick ArrivalTimes::gap() {
  if (per_cycle_ >= 1) return 1;
  const double failures = std::log(uniform(random_)) / std::log1p(-per_cycle_);
  return 1 + static_cast<Tick>(std::min(failures, static_cast<double>(kLastTick)));
}

std::uint32_t OpenMessages::add(const Message& message) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  messages_[number] = message;
  return number;
}

OpenMessages::Message OpenMessages::arrive(std::uint32_t number) {
  Message& message = messages_.at(number);
  TOROID_CHECK_LT(0u, message.packets);
  if (--message.packets == 0) free_.push_back(number);
  return message;
}

OpenLoop::OpenLoop(Node& node, HandlerId handler, const Traffic& traffic,
                   const OpenLoopOptions& options, OpenLoopCounts& counts)
    : node_(&node),
      handler_(handler),
      traffic_(&traffic),
      options_(options),
      counts_(&counts),
      times_(options.arrivals, options.per_cycle,
             Random(node.options().seed ^ kTimes, node.rank())),
      destinations_(node.options().seed ^ kDestinations, node.rank()),
      attachment_(node, "OpenLoop", *this) {
  TOROID_CHECK_LT(0u, options.bytes);
  node.on(attachment_, handler, Node::PlainHandler::of<&OpenLoop::arrive>(this));
}

Program OpenLoop::program(Node& node, OpenLoop& loop) {
  const bool sends = loop.options_.per_cycle > 0;
  const Tick end = sends ? loop.options_.periods.end() : 0;
  for (Tick at = sends ? loop.times_.next() : kNever; at < end; at = loop.times_.next()) {
    co_await node.sleep_until(at);
    loop.generate(at);
  }
}

void OpenLoop::generate(Tick at) {
  if (waiting_.empty()) node_->post(*this);
  const std::uint64_t packets = packets_for(options_.bytes);
  const std::uint32_t number =
      counts_->messages.add({static_cast<std::uint32_t>(at), node_->rank(), packets});
  waiting_.push_back({number, traffic_->draw(node_->rank(), destinations_)});
  counts_->all_generated += packets;
  if (options_.periods.measures(at)) counts_->generated += packets;
}

bool OpenLoop::fill(OutputQueues& queues) {
  while (!waiting_.empty() && queues.has_room(queues.next())) {
    Message& message = waiting_.front();
    queues[queues.next()].push(next_packet(message));
    queues.advance();
    if (message.sent == options_.bytes) waiting_.pop_front();
  }
  return waiting_.empty();
}

SendDescriptor OpenLoop::next_packet(Message& message) const {
  const auto bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(kPayloadBytes, options_.bytes - message.sent));
  message.sent += bytes;
  return node_->descriptor(message.to, handler_, 0, message.number, chunks_for(bytes));
}

void OpenLoop::arrive(const Packet& packet) {
  const Tick now = node_->now();
  const OpenMessages::Message message = counts_->messages.arrive(packet.header.argument());
  const Tick latency = static_cast<std::uint32_t>(now) - message.generated;
  ++counts_->all_received;
  if (options_.periods.measures(now)) {
    ++counts_->accepted;
    ++counts_->accepted_pairs[std::uint64_t{message.from} * node_->size() + node_->rank()];
  }
  if (options_.periods.measures(now - latency)) counts_->latency.add(latency);
}

}  // namespace toroid
