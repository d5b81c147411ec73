#include "router/job/connection.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "hal/check.hpp"

namespace toroid::job {
namespace {

using Lengths = std::array<std::uint32_t, 2>;  // bytes of the message; bytes of blobs

constexpr std::uint64_t kBudget = 4 << 20;       // bytes per call, so that all peers get a turn
constexpr std::size_t kChunk = 256 << 10;        // bytes
constexpr std::size_t kMaxMessage = 64 << 20;    // bytes
constexpr std::size_t kMaxReserved = 1UL << 30;  // bytes for a blob of which none has arrived

Blob head_of(const Blob& message, std::size_t body) {
  TOROID_CHECK_LE(message.size(), kMaxMessage);
  const Lengths lengths{static_cast<std::uint32_t>(message.size()),
                        static_cast<std::uint32_t>(body)};
  Blob head(sizeof lengths + message.size());
  std::memcpy(head.data(), lengths.data(), sizeof lengths);
  std::copy(message.begin(), message.end(), head.begin() + sizeof lengths);
  return head;
}

}  // namespace

void Connection::send(const Message& message) {
  urgent_.push_back({head_of(encode(message), 0), {}, nullptr});
}

void Connection::push(const Message& message) {
  ordered_.push_back({head_of(encode(message), 0), {}, nullptr});
}

void Connection::push_blobs(Message message, const std::vector<std::size_t>& sizes,
                            const std::shared_ptr<const Blob>& bytes) {
  message["sizes"] = sizes;
  Blob first = encode(message);
  Bytes rest(*bytes);
  do {
    const Bytes body = rest.first(std::min(rest.size(), kChunk));
    rest = rest.subspan(body.size());
    ordered_.push_back({head_of(std::exchange(first, {}), body.size()), body, bytes});
  } while (!rest.empty());
}

void Connection::send_last(const Message& message) {
  std::size_t waiting = 0;
  for (const Frame& frame : ordered_) waiting += size_of(frame);
  if (waiting > kChunk) drop_unwritten();
  push(message);
}

void Connection::drop_unwritten() {
  urgent_.clear();
  ordered_.clear();
}

bool Connection::take_next() {
  if (!has_next()) return false;
  auto& queue = urgent_.empty() ? ordered_ : urgent_;
  current_ = std::move(queue.front());
  queue.pop_front();
  written_ = 0;
  return true;
}

void Connection::write() {
  const std::uint64_t before = bytes_moved();
  more_to_write_ = false;
  while (!end() && !more_to_write_ && (written_ < size_of(current_) || take_next())) {
    if (!write_some()) return;
    more_to_write_ = bytes_moved() - before >= kBudget;
  }
}

bool Connection::write_some() {
  const std::size_t in_head = std::min(written_, current_.head.size());
  const Bytes head = Bytes(current_.head).subspan(in_head);
  const Bytes left = head.empty() ? current_.body.subspan(written_ - in_head) : head;
  const std::size_t done = stream_->write(left);
  written_ += done;
  return done > 0;
}

void Connection::finish() {
  if (!has_unwritten()) stream_->finish();
}

std::optional<End> Connection::read(const Handler& handle, bool one) try {
  const std::uint64_t before = bytes_read();
  more_to_read_ = false;
  while (!end() && !more_to_read_ && read_frame(handle))
    more_to_read_ = one || bytes_read() - before >= kBudget;
  return end();
} catch (const Malformed&) {
  is_malformed_ = true;
  return end();
} catch (const Message::exception&) {
  is_malformed_ = true;
  return end();
}

/// Reads and delivers one frame. False if it has not arrived completely.
bool Connection::read_frame(const Handler& handle) {
  if (!fill(sizeof(Lengths))) return false;
  Lengths lengths{};
  std::memcpy(lengths.data(), buffer_.data(), sizeof lengths);
  if (lengths[0] > kMaxMessage || lengths[1] > kChunk) throw Malformed("a frame is too long");
  if (!fill(sizeof lengths + lengths[0] + lengths[1])) return false;
  filled_ = 0;
  const Bytes frame = Bytes(buffer_).subspan(sizeof lengths);
  deliver(frame.first(lengths[0]), frame.subspan(lengths[0], lengths[1]), handle);
  return true;
}

/// Reads until the first `size` bytes of a frame are in buffer_. False if they have not arrived
/// yet.
bool Connection::fill(std::size_t size) {
  buffer_.resize(std::max(buffer_.size(), size));
  while (filled_ < size) {
    const std::size_t got = stream_->read(std::span(buffer_).subspan(filled_, size - filled_));
    if (got == 0) return false;
    filled_ += got;
  }
  return true;
}

void Connection::deliver(Bytes text, Bytes body, const Handler& handle) {
  if (!text.empty()) {
    Message message = decode(text);
    if (!message.contains("sizes")) return handle(message, {});
    begin_blobs(std::move(message));
  }
  if (!incoming_) throw Malformed("unexpected bytes");
  add_bytes(body, handle);
}

void Connection::begin_blobs(Message message) {
  if (incoming_) throw Malformed("new blobs before the previous ones are complete");
  auto sizes = message.at("sizes").get<std::vector<std::size_t>>();
  const std::size_t count = sizes.size();
  incoming_.emplace(Incoming{std::move(message), std::move(sizes), std::vector<Blob>(count)});
}

void Connection::add_bytes(Bytes body, const Handler& handle) {
  auto& [message, sizes, blobs, next] = *incoming_;
  for (; next < sizes.size(); ++next) {
    Blob& blob = blobs[next];
    if (blob.empty()) blob.reserve(std::min(sizes[next], kMaxReserved));
    const Bytes part = body.first(std::min(body.size(), sizes[next] - blob.size()));
    blob.insert(blob.end(), part.begin(), part.end());
    body = body.subspan(part.size());
    if (blob.size() < sizes[next]) break;
  }
  if (!body.empty()) throw Malformed("more bytes than announced");
  if (next < sizes.size()) return;
  Incoming whole = *std::exchange(incoming_, {});
  handle(whole.message, std::move(whole.blobs));
}

}  // namespace toroid::job
