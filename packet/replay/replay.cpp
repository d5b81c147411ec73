#include "packet/replay/replay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hal/check.hpp"
#include "packet/replay/critical_path.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {
namespace {

/// Waits until the program has something to do.
class ReplayAwaiter final : public Awaiter {
 public:
  explicit ReplayAwaiter(const Replay& replay) : replay_(&replay) {}
  bool ready() override { return replay_->wants_program(); }
  std::string text() const override { return replay_->text(); }

 private:
  const Replay* replay_;
};

}  // namespace

Replay::Replay(Node& node, HandlerId handler, const ScheduleGraph& graph, MessageTimes& times,
               const ReplayOptions& options)
    : node_(&node),
      handler_(handler),
      graph_(&graph),
      times_(&times),
      options_(options),
      attachment_(node, "Replay", *this) {
  graph.check_living(node.shape(), node.rank());
  node.on(attachment_, handler, Node::PlainHandler::of<&Replay::arrive>(this));
  if (node.rank() >= graph.ranks()) return;
  first_ = graph.first(node.rank());
  left_ = graph.last(node.rank()) - first_;
  progress_.resize(left_);
  for (OperationId id = first_; id < first_ + left_; ++id) {
    progress(id).waits = graph.waits(id);
    if (graph.operation(id).kind == Operation::Kind::receive)
      progress(id).packets = packets_of(graph.messages()[graph.message_of(id)]);
  }
}

Program Replay::program(Node& node, Replay& replay) {
  replay.start();
  while (!replay.done()) {
    if (!replay.computations_.empty()) {
      const Tick cycles = replay.begin_computation();
      co_await node.compute(cycles);
      replay.end_computation();
    } else if (!replay.timed_.empty()) {
      const Tick when = replay.timed_.top().when;
      co_await node.sleep_until(when);
      // On the wall clock sleep_until() does not wait.
      while (node.now() < when) co_await node.progress();
      replay.begin_timed();
    } else {
      ReplayAwaiter something(replay);
      co_await something;
    }
  }
}

void Replay::start() {
  for (OperationId id = first_; id < first_ + progress_.size(); ++id)
    if (progress(id).waits == 0) ready_.push_back(id);
  begin_ready();
}

void Replay::release(OperationId id) {
  if (--progress(id).waits == 0) ready_.push_back(id);
}

/// An operation that begins may end at once and let others begin. These are added to the list
/// ready_, which avoids recursion.
void Replay::begin_ready() {
  if (std::exchange(beginning_, true)) return;
  for (std::size_t next = 0; next < ready_.size(); ++next) begin(ready_[next]);
  ready_.clear();
  beginning_ = false;
}

void Replay::begin(OperationId id) {
  progress(id).begun = true;
  for (const auto& [dependent, on_start] : graph_->dependents(id))
    if (on_start) release(dependent);
  const Operation& operation = graph_->operation(id);
  if (operation.kind == Operation::Kind::receive) {
    if (progress(id).packets == 0) finish(id);
  } else if (operation.kind == Operation::Kind::send) {
    const Tick when = cycles_of_seconds(node_->machine(), operation.not_before);
    if (when > node_->now())
      timed_.push({when, id});
    else
      send(id);
  } else if (operation.amount == 0) {
    finish(id);
  } else {
    computations_.push_back(id);
  }
}

void Replay::send(OperationId id) {
  const std::uint32_t number = graph_->message_of(id);
  const ScheduleMessage& message = graph_->messages()[number];
  times_->begun[number] = node_->now();
  if (message.from == message.to) {
    finish(id);
    return take_packets(number, packets_of(message));
  }
  sending_.push_back({number, 0});
  if (!std::exchange(posted_, true)) node_->post(*this);
}

void Replay::finish(OperationId id) {
  --left_;
  for (const auto& [dependent, on_start] : graph_->dependents(id))
    if (!on_start) release(dependent);
  begin_ready();
}

void Replay::arrive(const Packet& packet) {
  const std::uint32_t number = packet.header.argument();
  const auto& messages = graph_->messages();
  if (number >= messages.size() || messages[number].to != node_->rank())
    throw RunFailed(
        fmt::format("received a packet of message {}, which is not for this node", number));
  take_packets(number, 1);
}

void Replay::take_packets(std::uint32_t number, std::uint64_t packets) {
  const ScheduleMessage& message = graph_->messages()[number];
  Progress& receive = progress(message.receive);
  if (receive.packets < packets)
    throw RunFailed(fmt::format("received more than the {} packets of a message from {}",
                                packets_of(message), node_->shape().coord_text(message.from)));
  receive.packets -= packets;
  if (receive.packets > 0) return;
  times_->ended[number] = node_->now();
  if (receive.begun) finish(message.receive);
}

/// Sends the messages in turn, packets_per_visit packets of each at a time.
bool Replay::fill(OutputQueues& queues) {
  while (!sending_.empty()) {
    Sending now = sending_.front();
    const std::uint32_t packets = visit(now, queues);
    if (packets == 0) return false;
    sending_.pop_front();
    now.packet += packets;
    const ScheduleMessage& message = graph_->messages()[now.message];
    if (now.packet < packets_of(message))
      sending_.push_back(now);
    else
      finish(message.send);
  }
  posted_ = false;
  return true;
}

/// Queues the next packets of a message. Returns their number, which is 0 if there is no room.
std::uint32_t Replay::visit(const Sending& sending, OutputQueues& queues) {
  const ScheduleMessage& message = graph_->messages()[sending.message];
  const std::uint64_t left = message.bytes - sending.packet * kPayloadBytes;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(left, kPayloadBytes));
  const std::uint64_t alike = std::max<std::uint64_t>(1, left / kPayloadBytes);
  const auto packets =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(alike, options_.packets_per_visit));
  const bool carries = options_.payload && bytes > 0;
  SendDescriptor descriptor = node_->descriptor(message.to, handler_, carries ? bytes : 0,
                                                sending.message, chunks_for(bytes));
  descriptor.source = carries ? this : nullptr;
  descriptor.cookie = sending.message;
  descriptor.packets = carries ? packets : 1;
  std::uint32_t queued = 0;
  for (; queued < packets && queues.has_room(queues.next()); queued += descriptor.packets)
    queues[queues.next()].push(descriptor);
  if (queued > 0) queues.advance();
  if (carries) queued_ += queued;
  return queued;
}

std::uint32_t Replay::gather(const SendDescriptor& descriptor, std::uint32_t,
                             std::span<std::byte, kPayloadBytes> payload) {
  --queued_;
  static constexpr std::array<std::byte, kPayloadBytes> kNothing{};
  copy_payload(payload.data(), kNothing.data(), descriptor.header.payload_bytes());
  return static_cast<std::uint32_t>(descriptor.cookie);
}

Tick Replay::begin_computation() const {
  return cycles_of_nanoseconds(node_->machine(), graph_->operation(computations_.front()).amount);
}

void Replay::end_computation() {
  const OperationId id = computations_.front();
  computations_.pop_front();
  finish(id);
}

void Replay::begin_timed() {
  while (!timed_.empty() && timed_.top().when <= node_->now()) {
    const OperationId id = timed_.top().send;
    timed_.pop();
    send(id);
  }
}

std::string Replay::text() const {
  for (OperationId id = first_; id < first_ + progress_.size(); ++id) {
    const Progress& progress = progress_[id - first_];
    if (!progress.begun || progress.packets == 0) continue;
    const ScheduleMessage& message = graph_->messages()[graph_->message_of(id)];
    return fmt::format("{} of the {} packets of a message from {}", progress.packets,
                       packets_of(message), node_->shape().coord_text(message.from));
  }
  return fmt::format("{} operations", left_);
}

}  // namespace toroid
