#include "router/job/connection.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/listening_socket.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;
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

Connection::Connection(tcp::socket socket, const Tls& tls, bool calls)
    : socket_(std::move(socket)) {
  std::error_code gone;
  own_address_ = text_of(socket_.local_endpoint(gone).address());
  peer_address_ = text_of(socket_.remote_endpoint(gone).address());
  socket_.non_blocking(true);
  socket_.set_option(tcp::no_delay(true));
  tls_ = tls.over(socket_.native_handle(), calls);
}

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
  while (!end_ && !more_to_write_ && writable_ && (written_ < size_of(current_) || take_next())) {
    if (!write_some()) return;
    more_to_write_ = bytes_moved() - before >= kBudget;
  }
}

/// If a write fails because the other end has closed the connection, the connection does not end
/// yet: bytes that the other end sent before must still be read.
bool Connection::write_some() {
  const std::size_t in_head = std::min(written_, current_.head.size());
  const Bytes head = Bytes(current_.head).subspan(in_head);
  const Bytes left = head.empty() ? current_.body.subspan(written_ - in_head) : head;
  std::size_t done = 0;
  ERR_clear_error();
  const int result = SSL_write_ex(tls_.get(), left.data(), left.size(), &done);
  written_ += done;
  if (result == 1) return true;
  const int error = SSL_get_error(tls_.get(), result);
  if (error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_SSL) note(error);
  return false;
}

void Connection::finish() {
  std::error_code gone;
  if (!has_unwritten()) socket_.shutdown(tcp::socket::shutdown_send, gone);
}

std::optional<End> Connection::read(const Handler& handle, bool one) try {
  const std::uint64_t before = bytes_read();
  more_to_read_ = false;
  while (!end_ && !more_to_read_ && readable_ && read_frame(handle))
    more_to_read_ = one || bytes_read() - before >= kBudget;
  return end_;
} catch (const Malformed&) {
  return end_ = End::malformed;
} catch (const Message::exception&) {
  return end_ = End::malformed;
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
    std::size_t got = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(tls_.get(), &buffer_[filled_], size - filled_, &got);
    filled_ += got;
    if (result == 1) continue;
    note(SSL_get_error(tls_.get(), result));
    return false;
  }
  return true;
}

void Connection::note(int error) {
  if (error == SSL_ERROR_WANT_READ) return readable_.await(socket_, tcp::socket::wait_read);
  if (error == SSL_ERROR_WANT_WRITE) return writable_.await(socket_, tcp::socket::wait_write);
  if (error != SSL_ERROR_SSL)
    end_ = End::lost;
  else
    end_ = says_wrong_key() ? End::wrong_key : End::malformed;
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

bool Connection::is_proved() const {
  return SSL_is_init_finished(tls_.get()) == 1;
}

std::uint64_t Connection::bytes_read() const {
  return BIO_number_read(SSL_get_rbio(tls_.get()));
}

std::uint64_t Connection::bytes_moved() const {
  return bytes_read() + BIO_number_written(SSL_get_wbio(tls_.get()));
}

}  // namespace toroid::job
