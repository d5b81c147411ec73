// The messages that come for a window, and the conditions that its program awaits.
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window.hpp"
#include "packet/exchange/window_message.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

namespace {

std::string_view verb_of(WindowMessageKind kind) {
  return kind == WindowMessageKind::get ? "get" : "put";
}

}  // namespace

void Window::take(Rank origin, std::span<const std::byte> bytes) {
  WindowMessage message;
  std::span<const std::byte> data;
  if (origin >= node_->size() || !message.read(bytes, data))
    throw RunFailed(fmt::format("received {} bytes that are not a message of window {}",
                                bytes.size(), number_));
  switch (message.kind) {
    case Kind::put:
    case Kind::acknowledged_put:
      return store(origin, message, data);
    case Kind::acknowledgement:
      return acknowledged(origin, message);
    case Kind::get:
      return answer(origin, message);
    case Kind::answer:
      break;
  }
  Operation& get = asked(origin, message, Kind::get);
  copy_boxes({data.data(), StridedBox::stretch(0, data.size()), 0},
             {get.destination, get.here, message.at}, data.size());
  note_answer(get, data.size());
}

std::size_t Window::take(const PutDescriptor& put) {
  if (put.stage == PutStage::shared) return take_shared(put);
  if (put.stage == PutStage::offered) return land(put);
  if (put.stage == PutStage::landed) {
    note_arrival(total_of(*put.landing));
    return total_of(*put.landing);
  }
  take(put.origin, put.packed());
  return put.packed_bytes;
}

/// Finds the destination of an offered put.
std::size_t Window::land(const PutDescriptor& put) {
  WindowMessage message;
  std::span<const std::byte> data;
  const bool is_put = put.origin < node_->size() && message.read(put.packed(), data) &&
                      (message.kind == Kind::put || message.kind == Kind::acknowledged_put);
  if (!is_put)
    throw RunFailed(fmt::format("received an offer that is not a put for window {}", number_));
  check_box(put.origin, message);
  BoxCursor<std::byte> to(memory_.data(), message.box, 0);
  for (std::uint64_t from = 0; from < message.bytes;) {
    const std::uint64_t bytes = to.left();
    put.landing->push_back({from, {to.at(), bytes}});
    to.advance(bytes);
    from += bytes;
  }
  return 0;
}

std::size_t Window::take_shared(const PutDescriptor& put) {
  const auto& from = *reinterpret_cast<const Operation*>(put.array);
  const BoxCursor<const std::byte> source(from.source, from.here, 0);
  if (from.message.kind == Kind::answer) {
    Operation& get = asked(put.origin, from.message, Kind::get);
    copy_boxes(source, {get.destination, get.here, 0}, from.message.bytes);
    note_answer(get, from.message.bytes);
  } else {
    check_box(put.origin, from.message);
    copy_boxes(source, {memory_.data(), from.message.box, 0}, from.message.bytes);
    note_arrival(from.message.bytes);
  }
  return from.message.bytes;
}

void Window::check_box(Rank origin, const WindowMessage& message) const {
  if (message.box.lies_in(memory_.size())) return;
  throw RunFailed(fmt::format("a {} by {} goes beyond window {}, which has {} bytes: {}",
                              verb_of(message.kind), node_->shape().coord_text(origin), number_,
                              memory_.size(), message.box.text()));
}

void Window::store(Rank origin, const WindowMessage& message, std::span<const std::byte> data) {
  check_box(origin, message);
  copy_boxes({data.data(), StridedBox::stretch(0, data.size()), 0},
             {memory_.data(), message.box, message.at}, data.size());
  note_arrival(data.size());
  if (message.kind == Kind::acknowledged_put) acknowledge(origin, message, data.size());
}

/// Counts the bytes of a put that have come, and tells its origin when all have come.
void Window::acknowledge(Rank origin, const WindowMessage& message, std::size_t bytes) {
  if (bytes < message.bytes) {
    const std::uint64_t key = std::uint64_t{origin} << 32 | message.operation;
    const auto [at, is_first] = partly_come_.try_emplace(key, message.bytes);
    if (bytes > at->second)
      throw RunFailed(fmt::format("a put from {} sends more bytes to window {} than it announced",
                                  node_->shape().coord_text(origin), number_));
    at->second -= static_cast<std::uint32_t>(bytes);
    if (at->second > 0) return;
    partly_come_.erase(at);
  }
  std::array<std::byte, kPayloadBytes> payload;
  const WindowMessage told{.kind = Kind::acknowledgement,
                           .operation = message.operation,
                           .bytes = 0,
                           .at = 0,
                           .box = StridedBox::stretch(0, 0)};
  mover_->post(origin, number_, std::span(payload).first(told.write(0, payload)), node_->rank());
}

void Window::acknowledged(Rank origin, const WindowMessage& message) {
  note_moved();
  close(asked(origin, message, Kind::acknowledged_put));
}

/// This node's own operation that another node answers or acknowledges. Throws RunFailed if there
/// is no such operation.
Window::Operation& Window::asked(Rank origin, const WindowMessage& message, Kind kind) {
  if (message.operation < operations_.size()) {
    Operation& own = operations_[message.operation];
    const bool is_such = own.is_open && own.message.kind == kind && own.peer == origin;
    const bool fits = kind != Kind::get || (own.message.bytes == message.bytes && own.left == 0);
    if (is_such && fits) return own;
  }
  throw RunFailed(fmt::format("unexpected reply from {} to a {}: window {} has none pending",
                              node_->shape().coord_text(origin), verb_of(kind), number_));
}

/// Sends the bytes that a get asks for. The program takes no part in this.
void Window::answer(Rank origin, const WindowMessage& message) {
  check_box(origin, message);
  Operation& answer =
      open(Kind::answer, origin, StridedBox::stretch(0, message.bytes), message.box, message.bytes);
  answer.message.operation = message.operation;
  answer.source = memory_.data();
  begin(answer);
}

void Window::note_arrival(std::uint64_t bytes) {
  arrived_.bump(bytes);
  note_moved();
}

void Window::note_answer(Operation& get, std::uint64_t bytes) {
  if (bytes > get.to_come)
    throw RunFailed(fmt::format("{} has answered a get of window {} twice",
                                node_->shape().coord_text(get.peer), number_));
  get.to_come -= static_cast<std::uint32_t>(bytes);
  if (get.to_come > 0) return;
  note_moved();
  close(get);
}

WindowAwaiter Window::arrived(std::uint64_t bytes) const {
  return {*this, WindowAwaiter::For::arrival, bytes};
}

WindowAwaiter Window::sent() const {
  return {*this, WindowAwaiter::For::leaving, 0};
}

WindowAwaiter Window::complete() const {
  return {*this, WindowAwaiter::For::all, 0};
}

WindowAwaiter PendingPut::local() const {
  return {*window_, WindowAwaiter::For::local, operation_, generation_};
}

WindowAwaiter PendingPut::remote() const {
  if (acknowledge_ == Acknowledge::no)
    throw BadInput("remote() of a put without an acknowledgement; put with Acknowledge::yes");
  return {*window_, WindowAwaiter::For::complete, operation_, generation_};
}

/// The operation that is awaited; null if it is complete.
const Window::Operation* Window::operation_of(const WindowAwaiter& what) const {
  if (what.operation_ == kNone) return nullptr;
  const Operation& operation = operations_[what.operation_];
  return operation.generation == what.generation_ ? &operation : nullptr;
}

bool Window::is_done(const WindowAwaiter& what) const {
  using For = WindowAwaiter::For;
  if (what.what_ == For::arrival) return arrived_.value() >= what.bytes_;
  if (what.what_ == For::leaving) return unsent_ == 0;
  if (what.what_ == For::all) return incomplete_ == 0;
  const Operation* const operation = operation_of(what);
  return operation == nullptr || (what.what_ == For::local && operation->left == 0);
}

std::string Window::waits_for(const WindowAwaiter& what) const {
  using For = WindowAwaiter::For;
  if (what.what_ == For::arrival)
    return fmt::format("{} at {} of {}", arrived_.name(), arrived_.value(), what.bytes_);
  if (what.what_ == For::leaving) return fmt::format("{} puts to leave", unsent_);
  if (what.what_ == For::all) return fmt::format("{} puts and gets to be complete", incomplete_);
  const Operation* const operation = operation_of(what);
  if (operation == nullptr) return "the processor's clock";
  return fmt::format("its {} of {} bytes to be complete at {}", verb_of(operation->message.kind),
                     operation->message.bytes, node_->shape().coord_text(operation->peer));
}

bool WindowAwaiter::ready() {
  return window_->is_done(*this) && window_->is_seen(seen_at_);
}

std::string WindowAwaiter::text() const {
  return window_->waits_for(*this);
}

/// Whether the processor's clock has reached the time at which the engine ended the wait. If not,
/// asks for a turn of the processor at that time.
bool Window::is_seen(Tick& seen_at) const {
  if (!is_by_engine() || node_->now() >= moved_at_) return true;
  if (seen_at != 0) return node_->now() >= seen_at;
  seen_at = moved_at_;
  node_->look_at(seen_at);
  return false;
}

}  // namespace toroid
