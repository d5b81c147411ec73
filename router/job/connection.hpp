// A connection over which frames travel.
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

/// Frames that wait to be written. **Order:** urgent frames overtake all others, and blobs between
/// any two of their chunks, so that a heartbeat does not wait for gigabytes; the others keep their
/// order.
class Outbox {
 public:
  void push_urgent(Blob frame) { urgent_.push_back(std::move(frame)); }
  void push(Blob frame) { ordered_.push_back({std::move(frame), nullptr, 0}); }
  void push_blob(const BlobHead& head, std::shared_ptr<const Blob> blob);
  /// Drops all frames except the one that has been written in part.
  void drop_unwritten();

  bool empty() const { return current_left() == 0 && urgent_.empty() && ordered_.empty(); }
  /// Writes as much as the socket accepts. Returns the number of bytes; -1: the connection is lost.
  std::ptrdiff_t write(const Socket& socket);

 private:
  /// A frame, or a blob whose bytes from `begin` are still to be cut into frames.
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
  Blob head_;                          ///< what is being written: a frame, or the head of a chunk
  Bytes body_;                         ///< the bytes of that chunk
  std::shared_ptr<const Blob> owner_;  ///< the blob that body_ belongs to
  std::size_t written_ = 0;            ///< bytes written of head_ and body_ together
};

/// What is called with the frames that are read.
struct Handlers {
  std::function<void(Type, Bytes)> frame;
  std::function<void(const BlobHead&, Blob)>
      blob;                    ///< if empty, blobs go to `frame` in their parts
  bool one_at_a_time = false;  ///< a read stops after one frame
};

/// Bytes that have been read and are cut into frames and blobs.
class Inbox {
 public:
  enum class Read { nothing, bytes, end };

  explicit Inbox(std::size_t max_frame) : buffer_(kFrameHead + max_frame) {}
  void allow(std::size_t max_frame) { buffer_.resize(kFrameHead + max_frame); }
  /// Whether any byte has ever arrived.
  bool has_heard() const { return heard_; }
  /// Reads what has arrived, but no more than some megabytes at once. Throws Malformed.
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

/// A connection between two processes. Owned and called by the job's thread, or by the program's
/// while it dials.
class Connection {
 public:
  /// No connection.
  Connection() : inbox_(0) {}
  /// `max_frame`: bytes of the longest payload that the other end may send.
  Connection(Socket socket, std::size_t max_frame)
      : socket_(std::move(socket)), inbox_(max_frame) {}

  const Socket& socket() const { return socket_; }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  void close() { socket_.close(); }
  Outbox& outbox() { return outbox_; }
  void allow(std::size_t max_frame) { inbox_.allow(max_frame); }

  /// Sends an urgent frame with the next write().
  void send(Type type, Bytes payload = {}) { outbox_.push_urgent(frame(type, payload)); }
  /// Outbox::write().
  std::ptrdiff_t write() { return outbox_.write(socket_); }
  Inbox::Read read(const Handlers& handlers) { return inbox_.read(socket_, handlers); }
  bool has_heard() const { return inbox_.has_heard(); }

  /// Once all is written, tells the other end that no more will come.
  void finish();

  /// Adds the connection to those that poll() is to wait for.
  void add_to(std::vector<pollfd>& polled);
  /// What poll() has found on the connection; 0 if it was not added.
  short events(const std::vector<pollfd>& polled) const;

 private:
  Socket socket_;
  Outbox outbox_;
  Inbox inbox_;
  std::size_t entry_ = SIZE_MAX;  ///< index in what was polled; SIZE_MAX: none
};

}  // namespace toroid::job
