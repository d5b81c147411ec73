#include "router/job/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kBudget = 4 << 20;  // bytes per call, so that every connection gets its turn
constexpr std::uint64_t kMaxBlob = 1ULL << 40;  // bytes
// Bytes that are reserved because the other end has announced a blob, before any has come.
constexpr std::size_t kMaxReserved = std::size_t{1} << 30;

bool is_for_later(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

iovec part(Bytes bytes, std::size_t from) {
  const Bytes rest = bytes.subspan(std::min(from, bytes.size()));
  return {const_cast<std::byte*>(rest.data()), rest.size()};
}

}  // namespace

void Outbox::push_blob(const BlobHead& head, std::shared_ptr<const Blob> blob) {
  push(frame(Type::blob, encode(head)));
  if (!blob->empty()) ordered_.push_back({{}, std::move(blob), 0});
}

void Outbox::drop_unwritten() {
  urgent_.clear();
  ordered_.clear();
}

bool Outbox::next() {
  head_.clear();
  body_ = {};
  owner_.reset();
  written_ = 0;
  if (!urgent_.empty()) {
    head_ = std::move(urgent_.front());
    urgent_.pop_front();
  } else if (!ordered_.empty() && ordered_.front().blob) {
    next_chunk();
  } else if (!ordered_.empty()) {
    head_ = std::move(ordered_.front().frame);
    ordered_.pop_front();
  }
  return !head_.empty();
}

void Outbox::next_chunk() {
  Item& item = ordered_.front();
  owner_ = item.blob;
  const Bytes rest = Bytes(*owner_).subspan(item.begin);
  body_ = rest.first(std::min(rest.size(), kChunk));
  head_ = Writer()
              .put(static_cast<std::uint32_t>(Type::chunk))
              .put(static_cast<std::uint32_t>(body_.size()))
              .bytes();
  item.begin += body_.size();
  if (body_.size() == rest.size()) ordered_.pop_front();
}

std::ptrdiff_t Outbox::write(const Socket& socket) {
  std::size_t done = 0;
  while (done < kBudget && (current_left() > 0 || next())) {
    const std::size_t in_head = std::min(written_, head_.size());
    iovec parts[2] = {part(head_, in_head), part(body_, written_ - in_head)};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = ::sendmsg(socket.fd(), &message, MSG_NOSIGNAL);
    if (sent < 0 && !is_for_later(errno)) return -1;
    if (sent <= 0) break;
    written_ += static_cast<std::size_t>(sent);
    done += static_cast<std::size_t>(sent);
  }
  return static_cast<std::ptrdiff_t>(done);
}

Inbox::Read Inbox::read(const Socket& socket, const Handlers& handlers) {
  std::size_t done = 0;
  if (consume(handlers) && handlers.one_at_a_time) return Read::bytes;
  while (done < kBudget) {
    const ssize_t got = ::recv(socket.fd(), buffer_.data() + filled_, buffer_.size() - filled_, 0);
    if (got < 0 && is_for_later(errno)) break;
    if (got <= 0) return Read::end;
    heard_ = true;
    filled_ += static_cast<std::size_t>(got);
    done += static_cast<std::size_t>(got);
    if (consume(handlers) && handlers.one_at_a_time) break;
  }
  return done > 0 ? Read::bytes : Read::nothing;
}

/// Handles the whole frames that have been read; true: there was one.
bool Inbox::consume(const Handlers& handlers) {
  const std::size_t used = parse(handlers);
  if (used == 0) return false;
  const auto begin = buffer_.begin();
  std::copy(begin + static_cast<std::ptrdiff_t>(used), begin + static_cast<std::ptrdiff_t>(filled_),
            begin);
  filled_ -= used;
  return true;
}

/// Handles the whole frames that have been read and returns their bytes. The buffer has room for
/// one at least.
std::size_t Inbox::parse(const Handlers& handlers) {
  std::size_t used = 0;
  while (filled_ - used >= kFrameHead) {
    Reader head(Bytes(buffer_).subspan(used, kFrameHead));
    const auto type = static_cast<Type>(head.get<std::uint32_t>());
    const std::size_t length = head.get<std::uint32_t>();
    if (length > buffer_.size() - kFrameHead) throw Malformed("a frame is longer than any");
    if (filled_ - used < kFrameHead + length) break;
    deliver(type, Bytes(buffer_).subspan(used + kFrameHead, length), handlers);
    used += kFrameHead + length;
    if (handlers.one_at_a_time) break;
  }
  return used;
}

void Inbox::deliver(Type type, Bytes payload, const Handlers& handlers) {
  if (!handlers.blob || (type != Type::blob && type != Type::chunk))
    return handlers.frame(type, payload);
  if (type == Type::blob) {
    begin_blob(payload);
  } else {
    if (!in_blob_ || payload.size() > head_.size - blob_.size())
      throw Malformed("a chunk belongs to nothing");
    blob_.insert(blob_.end(), payload.begin(), payload.end());
  }
  finish_blob(handlers);
}

void Inbox::begin_blob(Bytes payload) {
  if (in_blob_) throw Malformed("a blob begins within another");
  head_ = decode_blob_head(payload);
  if (head_.size > kMaxBlob) throw Malformed("a blob is larger than any");
  in_blob_ = true;
  blob_ = Blob();
  blob_.reserve(std::min<std::size_t>(head_.size, kMaxReserved));
}

void Inbox::finish_blob(const Handlers& handlers) {
  if (blob_.size() < head_.size) return;
  in_blob_ = false;
  handlers.blob(head_, std::move(blob_));
}

void Connection::finish() {
  if (outbox_.empty()) ::shutdown(socket_.fd(), SHUT_WR);
}

void Connection::add_to(std::vector<pollfd>& polled) {
  entry_ = SIZE_MAX;
  if (!socket_) return;
  entry_ = polled.size();
  const int out = outbox_.empty() ? 0 : POLLOUT;
  polled.push_back({socket_.fd(), static_cast<short>(POLLIN | out), 0});
}

short Connection::events(const std::vector<pollfd>& polled) const {
  return entry_ < polled.size() && socket_ ? polled[entry_].revents : short{0};
}

}  // namespace toroid::job
