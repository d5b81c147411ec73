// A connection of frames: what waits to be written, and what has been read of the next ones.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

/// What waits to be written. Urgent frames overtake blobs between any two of their chunks, so that
/// a sign of life does not wait for gigabytes.
class Outbox {
 public:
  void push_urgent(Blob frame) { urgent_.push_back(std::move(frame)); }
  void push(Blob frame) { ordered_.push_back({std::move(frame), nullptr, 0}); }
  void push_blob(const BlobHead& head, std::shared_ptr<const Blob> blob);
  /// All but what has been written in part.
  void drop_unwritten();

  bool empty() const { return current_left() == 0 && urgent_.empty() && ordered_.empty(); }
  /// Bytes written; -1: the connection is lost.
  std::ptrdiff_t write(const Socket& socket);

 private:
  /// A frame or, where there is a blob, what is left of it from `begin`.
  struct Item {
    Blob frame;
    std::shared_ptr<const Blob> blob;
    std::size_t begin = 0;
  };

  std::size_t current_left() const { return head_.size() + body_.size() - written_; }
  bool next();
  void next_chunk();

  std::deque<Blob> urgent_;
  std::deque<Item> ordered_;
  Blob head_;   ///< of the frame that is being written, with a payload or without
  Bytes body_;  ///< the rest of it: a part of the blob
  std::shared_ptr<const Blob> owner_;
  std::size_t written_ = 0;  ///< bytes of both
};

/// To whom frames are handed.
struct Handlers {
  std::function<void(Type, Bytes)> frame;
  std::function<void(const BlobHead&, Blob)> blob;
  bool one_at_a_time = false;  ///< what follows stays for the next read
};

/// What has been read.
class Inbox {
 public:
  enum class Read { nothing, bytes, end };

  explicit Inbox(std::size_t max_frame) : buffer_(kFrameHead + max_frame) {}
  void allow(std::size_t max_frame) { buffer_.resize(kFrameHead + max_frame); }
  /// Whether there has ever been a byte.
  bool has_heard() const { return heard_; }
  /// What is there, but no more than some megabytes at once. Throws Malformed.
  Read read(const Socket& socket, const Handlers& handlers);

 private:
  bool consume(const Handlers& handlers);
  std::size_t parse(const Handlers& handlers);
  void deliver(Type type, Bytes payload, const Handlers& handlers);
  void begin_blob(Bytes payload);
  void finish_blob(const Handlers& handlers);

  Blob buffer_;
  std::size_t filled_ = 0;
  bool heard_ = false;
  bool in_blob_ = false;
  BlobHead head_;
  Blob blob_;
};

class Connection {
 public:
  Connection() : inbox_(0) {}
  Connection(Socket socket, std::size_t max_frame)
      : socket_(std::move(socket)), inbox_(max_frame) {}

  const Socket& socket() const { return socket_; }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  void close() { socket_.close(); }
  Outbox& outbox() { return outbox_; }
  void allow(std::size_t max_frame) { inbox_.allow(max_frame); }

  void send(Type type, Bytes payload = {}) { outbox_.push_urgent(frame(type, payload)); }
  /// Bytes written; -1: the connection is lost.
  std::ptrdiff_t write() { return outbox_.write(socket_); }
  Inbox::Read read(const Handlers& handlers) { return inbox_.read(socket_, handlers); }
  bool has_heard() const { return inbox_.has_heard(); }

  /// Tells the other end, when all is written, that no more will come.
  void finish();

  /// Adds the connection to those that poll() is to wait for.
  void add_to(std::vector<pollfd>& polled);
  /// What poll() has found on the connection; 0 if it was not added.
  short events(const std::vector<pollfd>& polled) const;

 private:
  Socket socket_;
  Outbox outbox_;
  Inbox inbox_;
  std::size_t entry_ = SIZE_MAX;  ///< in the poll; SIZE_MAX: none
};

}  // namespace toroid::job
