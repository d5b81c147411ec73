#include "packet/exchange/window.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hal/check.hpp"
#include "packet/exchange/put_threshold.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/settings.hpp"

namespace toroid {
namespace {

/// 32 bits count a message's bytes and packets.
constexpr std::uint64_t kMostBytes = UINT32_MAX;

/// A box whose bytes are contiguous becomes one stretch.
StridedBox simplified(const StridedBox& box) {
  if (box.is_empty()) return StridedBox::stretch(box.offset, 0);
  return box.stride == box.bytes || box.is_stretch() ? StridedBox::stretch(box.offset, box.total())
                                                     : box;
}

HandlerId opened(Node& node, std::span<const std::byte> memory) {
  if (!memory.empty() && !node.try_expose(memory))
    throw BadInput(fmt::format("a window of {} bytes shares memory with another window of node {}",
                               memory.size(), node.shape().coord_text(node.rank())));
  return node.reserve_handlers(1);
}

}  // namespace

Window::Window(Node& node, std::span<std::byte> memory)
    : node_(&node),
      mover_(node.dma() == nullptr || node.options().transfer == TransferMode::packets
                 ? &node
                 : node.dma()),
      memory_(memory),
      number_(opened(node, memory)),
      attachment_(node, *mover_, "Window", *this) {
  mover_->on(
      attachment_, number_,
      {[](void* self, const Packet& packet) {
         static_cast<Window*>(self)->take(packet.header.argument(), packet.bytes());
       },
       this,
       [](void* self, const PutDescriptor& put) { return static_cast<Window*>(self)->take(put); }});
}

Window::~Window() {
  if (attachment_.node() != nullptr) node_->hide(memory_);
  attachment_.detach(operations_.is_in_use());
}

PendingPut Window::put(Rank to, std::uint64_t offset, std::span<const std::byte> source,
                       Acknowledge acknowledge) {
  return put(to, StridedBox::stretch(offset, source.size()), source,
             StridedBox::stretch(0, source.size()), acknowledge);
}

PendingPut Window::put(Rank to, const StridedBox& there, std::span<const std::byte> array,
                       const StridedBox& here, Acknowledge acknowledge) {
  const std::uint32_t bytes = checked_bytes("put", to, there, array.size(), here);
  if (to == node_->rank()) {
    copy_boxes({array.data(), here, 0}, {memory_.data(), there, 0}, bytes);
    arrived_.bump(bytes);
    return {*this, acknowledge, kNone, 0};
  }
  const bool told = acknowledge == Acknowledge::yes;
  Operation& put = open(told ? Kind::acknowledged_put : Kind::put, to, there, here, bytes);
  put.source = array.data();
  const PendingPut pending{*this, acknowledge, put.number, put.generation};
  ++unsent_;
  ++incomplete_;
  begin(put);
  return pending;
}

WindowAwaiter Window::get(Rank from, std::uint64_t offset, std::span<std::byte> destination) {
  return get(from, StridedBox::stretch(offset, destination.size()), destination,
             StridedBox::stretch(0, destination.size()));
}

WindowAwaiter Window::get(Rank from, const StridedBox& there, std::span<std::byte> array,
                          const StridedBox& here) {
  const std::uint32_t bytes = checked_bytes("get", from, there, array.size(), here);
  if (from == node_->rank()) {
    copy_boxes({memory_.data(), there, 0}, {array.data(), here, 0}, bytes);
    return {*this, WindowAwaiter::For::complete, kNone, 0};
  }
  Operation& get = open(Kind::get, from, there, here, bytes);
  get.destination = array.data();
  const WindowAwaiter pending{*this, WindowAwaiter::For::complete, get.number, get.generation};
  ++incomplete_;
  begin(get);
  return pending;
}

/// Checks a put or get as far as this node can, and returns its number of bytes.
std::uint32_t Window::checked_bytes(std::string_view what, Rank peer, const StridedBox& there,
                                    std::size_t array, const StridedBox& here) const {
  if (peer >= node_->size())
    throw BadInput(
        fmt::format("a {} names node {}; expected 0 to {}", what, peer, node_->size() - 1));
  const std::uint64_t window = peer == node_->rank() ? memory_.size() : UINT64_MAX;
  if (!there.lies_in(window))
    throw BadInput(fmt::format(
        "a {} of {} lies outside window {} of {}{}", what, there.text(), number_,
        node_->shape().coord_text(peer),
        peer == node_->rank() ? fmt::format(": it has {} bytes", window) : std::string()));
  if (!here.lies_in(array))
    throw BadInput(
        fmt::format("a {} of {} lies outside its array of {} bytes", what, here.text(), array));
  if (there.total() != here.total())
    throw BadInput(
        fmt::format("a {} of {} bytes of an array and {} bytes of window {}: expected equal sizes",
                    what, here.total(), there.total(), number_));
  if (here.total() > kMostBytes)
    throw BadInput(
        fmt::format("a {} of {} bytes: expected less than 4 GiB; use several", what, here.total()));
  return static_cast<std::uint32_t>(here.total());
}

Window::Operation& Window::open(Kind kind, Rank peer, const StridedBox& there,
                                const StridedBox& here, std::uint32_t bytes) {
  const std::uint32_t number = operations_.take();
  Operation& operation = operations_[number];
  operation.number = number;
  operation.message = {.kind = kind,
                       .operation = operation.number,
                       .bytes = bytes,
                       .at = 0,
                       .box = simplified(there)};
  operation.here = simplified(here);
  operation.source = nullptr;
  operation.destination = nullptr;
  operation.is_open = true;
  operation.is_offered = false;
  operation.peer = peer;
  operation.next = kNone;
  operation.queued = 0;
  operation.to_come = bytes;
  operation.written_at = 0;
  return operation;
}

/// Frees the operation's place. Holders of its number see by the generation that it is complete.
void Window::close(Operation& operation) {
  if (operation.message.kind != Kind::answer) --incomplete_;
  ++operation.generation;
  operation.is_open = false;
  operations_.give_back(operation.number);
}

/// If an engine moves the data, its first turn for the operation comes in a later cycle, because
/// only future turns can be asked for.
void Window::begin(Operation& operation) {
  operation.is_put = goes_by_put(operation);
  operation.left = packets_of(operation);
  if (RankRecord* const record = node_->record())
    record->send(mover_->now(), operation.peer, operation.message.bytes, number_);
  const bool is_own = operation.message.kind != Kind::answer;
  if (is_by_engine() && is_own) {
    const Tick now = node_->now();
    node_->write_descriptors(1);
    operation.written_at = std::max(node_->now(), now + 1);
  }
  if (try_pass(operation)) return;
  wait_in_line(operation);
  if (is_by_engine() && is_own) mover_->look_at(operation.written_at);
}

bool Window::goes_by_put(const Operation& operation) const {
  const TransferMode mode = node_->options().transfer;
  if (!carries_data(operation) || operation.message.bytes == 0 || mode == TransferMode::packets)
    return false;
  return mover_->put_reach(operation.peer) != PutReach::none &&
         (mode == TransferMode::put || packets_of(operation) >= kLeastInPut);
}

/// Sends an operation of a single packet at once if possible, without waiting for a turn.
bool Window::try_pass(Operation& operation) {
  if (is_by_engine() || operation.is_put || operation.left > 1 || line_.first != kNone)
    return false;
  std::array<std::byte, kPayloadBytes> payload;
  const std::size_t bytes = write(operation, 0, operation.message.bytes, payload);
  if (!mover_->try_pass(describe(operation), std::span(payload).first(bytes))) return false;
  note_left(operation, 1);
  return true;
}

void Window::wait_in_line(Operation& operation) {
  (line_.first == kNone ? line_.first : operations_[line_.last].next) = operation.number;
  line_.last = operation.number;
  if (!std::exchange(is_posted_, true)) mover_->post(*this);
}

bool Window::fill(OutputQueues& queues) {
  waits_for_writing_ = false;
  while (line_.first != kNone) {
    Operation& first = operations_[line_.first];
    waits_for_writing_ = mover_->now() < first.written_at;
    if (waits_for_writing_ || !queues.has_room(queues.next())) return false;
    const SendDescriptor next = describe(first);
    queues[queues.next()].push(next);
    queues.advance();
    first.queued += next.message_packets();
    if (first.queued == packets_of(first)) line_.first = std::exchange(first.next, kNone);
  }
  is_posted_ = false;
  return true;
}

/// Time passes within a turn, so the descriptor may have been written meanwhile.
NextLook Window::next_look() {
  if (!waits_for_writing_) return NextLook::never();
  const Tick written_at = operations_[line_.first].written_at;
  return written_at > mover_->now() ? NextLook::at(written_at) : NextLook::at_once();
}

/// A message without bytes is one empty packet, and so is a request for bytes.
std::uint32_t Window::packets_of(const Operation& operation) {
  const WindowMessage& message = operation.message;
  if (!carries_data(operation)) return 1;
  const unsigned data = WindowMessage::data_bytes(message.box);
  return std::max(1u, message.bytes / data + (message.bytes % data != 0 ? 1 : 0));
}

/// Describes the put or, if the operation goes in packets, all full packets that have not been
/// queued. If there are none, describes the last packet, which is shorter.
SendDescriptor Window::describe(const Operation& operation) {
  const WindowMessage& message = operation.message;
  const unsigned data = WindowMessage::data_bytes(message.box);
  const std::uint32_t carried = carries_data(operation) ? message.bytes : 0;
  const std::uint32_t full = carried / data;
  const bool is_full = operation.queued < full;
  const unsigned payload =
      static_cast<unsigned>(message.label_bytes()) + (is_full ? data : carried % data);
  SendDescriptor made = operation.is_put
                            ? mover_->descriptor(operation.peer, number_, 0, operation.left, 1)
                            : mover_->descriptor(operation.peer, number_, payload, node_->rank(),
                                                 chunks_for(payload));
  made.source = this;
  made.cookie = std::uint64_t{operation.number} << 32 | operation.queued;
  made.packets = is_full && !operation.is_put ? full - operation.queued : 1;
  made.is_put = operation.is_put;
  return made;
}

/// Writes the label and at most `most` bytes of data, from byte `at` of the message on.
std::size_t Window::write(const Operation& operation, std::uint64_t at, std::uint64_t most,
                          std::span<std::byte> to) const {
  const WindowMessage& message = operation.message;
  const std::size_t label = message.write(static_cast<std::uint32_t>(at), to);
  if (!carries_data(operation)) return label;
  const std::uint64_t bytes = std::min(most, message.bytes - at);
  copy_boxes({operation.source, operation.here, at},
             {to.data(), StridedBox::stretch(label, bytes), 0}, bytes);
  return label + bytes;
}

std::uint32_t Window::gather(const SendDescriptor& descriptor, std::uint32_t number,
                             std::span<std::byte, kPayloadBytes> payload) {
  Operation& operation = operations_[descriptor.cookie >> 32];
  const unsigned data = WindowMessage::data_bytes(operation.message.box);
  const std::uint64_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  write(operation, packet * data, data, payload);
  note_left(operation, 1);
  return node_->rank();
}

/// The receiver reads the operation itself, which says where the bytes are and where they go.
PutDescriptor Window::put(const SendDescriptor& descriptor) {
  const Operation& operation = operations_[descriptor.cookie >> 32];
  return {.from = node_->rank(),
          .to = operation.peer,
          .window = number_,
          .origin = node_->rank(),
          .first = 0,
          .packets = operation.left,
          .array = reinterpret_cast<const std::byte*>(&operation),
          .source = this};
}

std::size_t Window::pack(const SendDescriptor& descriptor, std::uint32_t first,
                         std::uint32_t packets, std::span<std::byte> to) {
  TOROID_CHECK_LE(std::size_t{packets} * kPayloadBytes, to.size());
  const Operation& operation = operations_[descriptor.cookie >> 32];
  const unsigned data = WindowMessage::data_bytes(operation.message.box);
  return write(operation, std::uint64_t{first} * data, std::uint64_t{packets} * data, to);
}

/// Offers only a put from one stretch, because an offer cannot describe several stretches. An
/// answer is not offered, because only its receiver's own operation says where it goes.
PutOffer Window::offer(const SendDescriptor& descriptor, std::size_t least) {
  static_assert(WindowMessage::kBoxedLabelBytes <= PutOffer::kMostLabel);
  Operation& operation = operations_[descriptor.cookie >> 32];
  const WindowMessage& message = operation.message;
  if (message.kind == Kind::answer || !operation.here.is_stretch() || message.box.bytes < least)
    return {};
  operation.is_offered = true;
  PutOffer offer{.memory = {operation.source + operation.here.offset, message.bytes}};
  offer.label_bytes = static_cast<std::uint32_t>(message.write(0, offer.label));
  return offer;
}

/// If the bytes were copied or read, they have arrived. If they were packed, the receiver
/// acknowledges them as it acknowledges those of packets.
void Window::put_done(const PutDescriptor& put) {
  Operation& operation = operations_[reinterpret_cast<const Operation*>(put.array)->number];
  const bool has_arrived =
      operation.is_offered || mover_->put_reach(operation.peer) == PutReach::shared;
  const bool is_acknowledged = operation.message.kind == Kind::acknowledged_put && has_arrived;
  note_left(operation, operation.left);
  if (is_acknowledged) close(operation);
}

void Window::note_left(Operation& operation, std::uint32_t packets) {
  operation.left -= packets;
  if (operation.left > 0) return;
  note_moved();
  const Kind kind = operation.message.kind;
  if (kind == Kind::put || kind == Kind::acknowledged_put) --unsent_;
  if (kind == Kind::put || kind == Kind::answer) close(operation);
}

}  // namespace toroid
