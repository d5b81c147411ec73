#include "packet/node.hpp"

#include <algorithm>

namespace toroid {
namespace {

/// Packets per call across the seam: enough that a virtual call costs nothing measurable.
constexpr std::size_t kBatch = 16;

}  // namespace

Node::Node(Device& device, NodeOptions options)
    : device_(&device),
      queues_(options.output_queues, options.queue_capacity),
      rank_(device.rank()),
      coord_(device.shape().coord(rank_)),
      options_(options),
      random_(options.seed, rank_),
      barrier_(device.shape().size()) {
  on(kBarrierHandler, [this](const Packet& p) { barrier_.on_packet(*this, p.header.argument()); });
}

void Node::on(HandlerId id, Handler handler) {
  CHECK_LT(id, kMaxHandlers);
  if (id >= handlers_.size()) handlers_.resize(id + 1u);
  handlers_[id] = std::move(handler);
}

SendOrder Node::order(OrderRule rule, Rank self, Rank members) const {
  return {rule, self, members, mix64(options_.seed) ^ rank_};
}

UntilAwaiter Node::until(const Counter& counter, std::uint64_t n) {
  return {counter, n};
}
ComputeAwaiter Node::compute(Tick cycles) {
  send_now();
  return {*device_, cycles};
}

BarrierAwaiter Node::barrier() {
  barrier_.enter(*this);
  return BarrierAwaiter(barrier_);
}

PacketHeader Node::header(Rank to, HandlerId handler, unsigned payload_bytes,
                          std::uint32_t argument, unsigned chunks) {
  const bool dynamic = options_.routing == RoutingRule::adaptive;
  return PacketHeader(
      HeaderFields{.destination = to,
                   .hints = hints(to),
                   .dynamic = dynamic,
                   .channel = dynamic ? VirtualChannel::dynamic0 : VirtualChannel::bubble,
                   .chunks = chunks,
                   .handler = handler,
                   .payload_bytes = payload_bytes,
                   .argument = argument});
}

/// Packets in a row mostly go to the same node. The coin of TieRule::split is thrown for each.
DirectionSet Node::hints(Rank to) {
  if (to != hints_to_ || options_.tie == TieRule::split) {
    hints_ = minimal_directions(shape(), coord_, shape().coord(to), options_.tie, random_);
    hints_to_ = to;
  }
  return hints_;
}

bool Node::try_send(Rank to, HandlerId handler, std::span<const std::byte> payload,
                    std::uint32_t argument) {
  if (to != rank_ && !queues_.has_room(queues_.next())) return false;
  enqueue(to, handler, payload, argument);
  return true;
}

void Node::post(Rank to, HandlerId handler, std::span<const std::byte> payload,
                std::uint32_t argument) {
  enqueue(to, handler, payload, argument);
}

void Node::enqueue(Rank to, HandlerId handler, std::span<const std::byte> payload,
                   std::uint32_t argument) {
  CHECK_LT(to, size());
  CHECK_LE(payload.size(), kPayloadBytes);
  const auto bytes = static_cast<unsigned>(payload.size());
  const PacketHeader head = header(to, handler, bytes, argument, chunks_for(bytes));
  if (to == rank_) {
    Packet& packet = own_.emplace_back();
    packet.header = head;
    if (bytes > 0) std::memcpy(packet.payload.data(), payload.data(), bytes);
    return;
  }
  SendDescriptor descriptor{.header = head, .source = nullptr, .cookie = 0};
  if (bytes > 0) {
    descriptor.source = &inline_payloads_;
    descriptor.cookie = inline_payloads_.keep(payload);
  }
  queues_[queues_.next()].push(descriptor);
  queues_.advance();
  posted_ = true;
}

void Node::post(Outgoing& outgoing) {
  outgoing_.push_back(&outgoing);
  posted_ = true;
}

TurnResult Node::turn() {
  bool again = start();
  fill();
  again |= drain();
  again |= receive();
  again |= resume();
  again |= std::exchange(posted_, false) || !own_.empty();
  return {.output_waiting = !outgoing_.empty() || !queues_.empty(), .again = again};
}

/// The program runs to its first await before anything is received: its handlers must exist.
bool Node::start() {
  if (std::exchange(started_, true)) return false;
  run_program();
  return true;
}

void Node::fill() {
  while (!outgoing_.empty() && outgoing_.front()->fill(queues_)) outgoing_.erase(outgoing_.begin());
}

void Node::send_now() {
  do fill();
  while (drain());
}

/// True: more could be moved at once.
bool Node::drain() {
  std::size_t total = 0;
  for (;;) {  // a fabric that moves packets on at once has room for more
    const std::size_t moved = drain_batch();
    total += moved;
    if (total >= device_->packets_per_turn()) return true;
    if (moved == 0) return total > 0 && !outgoing_.empty() && queues_.empty();
  }
}

std::size_t Node::drain_batch() {
  std::array<Injection, kBatch> batch;
  std::size_t count = 0;
  const std::size_t moved =
      drain_.run(queues_, device_->fifos(), kBatch, [&](const SendDescriptor& d, unsigned fifo) {
        if (count > 0 && batch[count - 1].takes(d, fifo))
          batch[count - 1].descriptor.packets = d.packets;
        else
          batch[count++] = {d, fifo};
      });
  if (count > 0) device_->inject({batch.data(), count});
  return moved;
}

/// True: there may be more.
bool Node::receive() {
  const std::size_t limit = device_->packets_per_turn();
  const std::size_t count = device_->receive(*this, limit);
  for (std::size_t left = own_.size(); left > 0; --left) {
    arrive(own_.front());
    own_.pop_front();
  }
  return count == limit;
}

bool Node::resume() {
  if (program_.done() || (program_.wait() != nullptr && !program_.wait()->ready())) return false;
  run_program();
  return true;
}

void Node::run_program() {
  if (program_.done()) return;
  program_.resume();
  if (program_.done()) finished_at_ = now();
}

/// Calls the packet's handler.
void Node::arrive(const Packet& packet) {
  const HandlerId id = packet.header.handler();
  if (id >= handlers_.size() || !handlers_[id])
    throw RunFailed(fmt::format("received a packet for handler {}, which it does not have", id));
  handlers_[id](packet);
}

bool Node::finished() const {
  return program_.done() && outgoing_.empty() && queues_.empty() && own_.empty();
}

std::string Node::waits_for() const {
  if (!queues_.empty()) return "room in its injection FIFOs";
  return program_.wait() != nullptr ? program_.wait()->text() : "nothing";
}

SendAwaiter::SendAwaiter(Node& node, Rank to, HandlerId handler, std::span<const std::byte> payload,
                         std::uint32_t argument)
    : node_(&node),
      to_(to),
      handler_(handler),
      bytes_(static_cast<std::uint8_t>(payload.size())),
      argument_(argument) {
  std::memcpy(payload_.data(), payload.data(), payload.size());
}

bool SendAwaiter::ready() {
  return node_->try_send(to_, handler_, std::span(payload_).first(bytes_), argument_);
}

std::string SendAwaiter::text() const {
  return fmt::format("room to send to {}", node_->shape().coord_text(to_));
}

std::string UntilAwaiter::text() const {
  return fmt::format("{} at {} of {}", counter_->name(), counter_->value(), n_);
}

bool ComputeAwaiter::ready() {
  if (begun_) return true;
  begun_ = true;
  device_->compute(cycles_);
  return cycles_ == 0;
}

}  // namespace toroid
