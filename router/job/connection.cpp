#include "router/job/connection.hpp"

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ssl/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/loop.hpp"
#include "router/job/socket.hpp"
#include "router/job/tls.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kFrameHead = 5;         // bytes: kind, length
constexpr std::size_t kMaxFrame = 256 << 10;  // bytes of the longest payload
constexpr std::size_t kBuffer = kFrameHead + kMaxFrame;
constexpr std::uint64_t kMaxBlob = 1ULL << 40;  // bytes
// Bytes that are reserved because the other end has announced a blob, before any has come.
constexpr std::uint64_t kMaxReserved = std::uint64_t{1} << 30;
constexpr std::byte kIsMessage{1};
constexpr std::byte kIsChunk{2};

Blob head_of(std::byte kind, std::size_t length) {
  Blob head{kind};
  for (unsigned shift = 0; shift < 32; shift += 8) head.push_back(std::byte(length >> shift));
  return head;
}

Blob frame_of(const Message& message) {
  const Blob payload = encode(message);
  TOROID_CHECK_LE(payload.size(), kMaxFrame);
  Blob frame = head_of(kIsMessage, payload.size());
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

std::size_t length_of(Bytes head) {
  std::size_t length = 0;
  for (unsigned i = 0; i < 4; ++i) length |= std::to_integer<std::size_t>(head[1 + i]) << 8 * i;
  if (length > kMaxFrame || (head[0] != kIsMessage && head[0] != kIsChunk))
    throw Malformed("not a frame");
  return length;
}

}  // namespace

void Outbox::push_urgent(const Message& message) {
  urgent_.push_back(frame_of(message));
}

void Outbox::push(const Message& message) {
  ordered_.push_back({frame_of(message), nullptr, 0});
}

void Outbox::push_blob(Message head, std::shared_ptr<const Blob> blob) {
  head["is"] = "blob";
  head["size"] = blob->size();
  push(head);
  if (!blob->empty()) ordered_.push_back({{}, std::move(blob), 0});
}

void Outbox::drop_unwritten() {
  urgent_.clear();
  ordered_.clear();
}

Bytes Outbox::current() const {
  if (written_ < head_.size()) return Bytes(head_).subspan(written_);
  return body_.subspan(written_ - head_.size());
}

Bytes Outbox::next() {
  if (current().empty()) take_next();
  return current();
}

void Outbox::take_next() {
  head_.clear();
  body_ = {};
  owner_.reset();
  written_ = 0;
  if (!urgent_.empty()) {
    head_ = std::move(urgent_.front());
    urgent_.pop_front();
  } else if (!ordered_.empty() && ordered_.front().blob) {
    take_chunk();
  } else if (!ordered_.empty()) {
    head_ = std::move(ordered_.front().frame);
    ordered_.pop_front();
  }
}

void Outbox::take_chunk() {
  Item& item = ordered_.front();
  owner_ = item.blob;
  const Bytes rest = Bytes(*owner_).subspan(item.begin);
  body_ = rest.first(std::min(rest.size(), kMaxFrame));
  head_ = head_of(kIsChunk, body_.size());
  item.begin += body_.size();
  if (body_.size() == rest.size()) ordered_.pop_front();
}

struct Connection::Stream {
  Stream(Loop& loop, asio::ssl::context& context) : tls(loop.context(), context) {}
  asio::ssl::stream<asio::ip::tcp::socket> tls;
  asio::ip::tcp::socket& socket() { return tls.next_layer(); }
};

Connection::Connection(Loop& loop, asio::ssl::context& tls, Socket socket)
    : loop_(loop),
      own_address_(job::own_address(socket)),
      peer_address_(job::peer_address(socket)),
      stream_(std::make_unique<Stream>(loop, tls)),
      buffer_(kBuffer) {
  const auto family =
      peer_address_.find(':') == std::string::npos ? asio::ip::tcp::v4() : asio::ip::tcp::v6();
  stream_->socket().assign(family, socket.release());
  stream_->socket().set_option(asio::ip::tcp::no_delay(true));
}

Connection::~Connection() = default;

void Connection::start(bool calls, Handlers handlers, std::function<void()> proved) {
  set_handlers(std::move(handlers));
  stream_->tls.set_verify_mode(calls ? asio::ssl::verify_peer : asio::ssl::verify_none);
  const auto side = calls ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
  stream_->tls.async_handshake(
      side, loop_.locked([self = shared_from_this(), proved = std::move(proved)](
                             const std::error_code& error) { self->handshaken(error, proved); }));
}

void Connection::set_handlers(Handlers handlers) {
  handlers_ = std::make_shared<const Handlers>(std::move(handlers));
}

void Connection::handshaken(const std::error_code& error, const std::function<void()>& proved) {
  if (closed_) return;
  if (error) return end(says_wrong_key(error) ? End::wrong_key : End::lost);
  if (!is_proved(stream_->tls.native_handle())) return end(End::wrong_key);
  proved_ = true;
  proved();
  read();
  flush();
}

void Connection::send(const Message& message) {
  outbox_.push_urgent(message);
}

void Connection::flush() {
  if (!proved_ || writes_ || closed_) return;
  const Bytes next = outbox_.next();
  if (next.empty()) {
    std::error_code gone;
    if (finishing_) stream_->socket().shutdown(asio::ip::tcp::socket::shutdown_send, gone);
    return;
  }
  writes_ = true;
  stream_->tls.async_write_some(
      asio::buffer(next.data(), next.size()),
      loop_.locked([self = shared_from_this()](const std::error_code& error, std::size_t bytes) {
        self->writes_ = false;
        if (error) return;  // what has been sent to this end is still to be read
        self->loop_.note_motion();
        self->outbox_.written(bytes);
        self->flush();
      }));
}

void Connection::finish() {
  finishing_ = true;
  flush();
}

void Connection::close() {
  closed_ = true;
  std::error_code gone;
  stream_->socket().close(gone);
}

bool Connection::has_heard() const {
  return job::has_heard(stream_->tls.native_handle());
}

void Connection::read() {
  if (closed_) return;
  stream_->tls.async_read_some(
      asio::buffer(buffer_.data() + filled_, buffer_.size() - filled_),
      loop_.locked([self = shared_from_this()](const std::error_code& error, std::size_t bytes) {
        if (self->closed_) return;
        if (error) return self->end(End::lost);
        self->loop_.note_motion();
        self->filled_ += bytes;
        if (self->handlers_->heard) self->handlers_->heard();
        self->parse();
        self->read();
      }));
}

/// Handles the whole frames that have been read. The buffer has room for one at least.
void Connection::parse() try {
  std::size_t used = 0;
  while (!closed_ && filled_ - used >= kFrameHead) {
    const Bytes rest = Bytes(buffer_).subspan(used, filled_ - used);
    const std::size_t length = length_of(rest);
    if (rest.size() < kFrameHead + length) break;
    deliver(rest[0] == kIsMessage, rest.subspan(kFrameHead, length));
    used += kFrameHead + length;
  }
  const auto begin = buffer_.begin();
  std::copy(begin + static_cast<std::ptrdiff_t>(used), begin + static_cast<std::ptrdiff_t>(filled_),
            begin);
  filled_ -= used;
} catch (const Malformed&) {
  end(End::malformed);
} catch (const Message::exception&) {
  end(End::malformed);
}

void Connection::deliver(bool is_message, Bytes payload) {
  if (is_message) return deliver_message(decode(payload));
  if (!head_ || payload.size() > size_ - blob_.size()) throw Malformed("bytes belong to nothing");
  blob_.insert(blob_.end(), payload.begin(), payload.end());
  deliver_blob();
}

void Connection::deliver_message(const Message& message) {
  const auto handlers = handlers_;  // they may be replaced meanwhile
  if (message.at("is") != "blob") return handlers->message(message);
  size_ = message.at("size");
  if (head_ || size_ > kMaxBlob || !handlers->blob) throw Malformed("no blob is expected");
  head_ = std::make_unique<Message>(message);
  blob_.clear();
  blob_.reserve(std::min(size_, kMaxReserved));
  deliver_blob();
}

void Connection::deliver_blob() {
  if (blob_.size() < size_) return;
  const auto handlers = handlers_;
  const auto head = std::move(head_);
  handlers->blob(*head, std::exchange(blob_, {}));
}

void Connection::end(End how) {
  if (closed_) return;
  close();
  const auto handlers = handlers_;
  handlers->ended(how);
}

}  // namespace toroid::job
