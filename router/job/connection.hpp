// A connection between two processes of a job: messages over a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/network.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

/// A connection between this process and another one.
///
/// **Frames:** a frame has two lengths of 4 bytes each, then a message, then some bytes of blobs;
/// the message or the bytes may be empty. A message that states sizes of blobs is followed by their
/// bytes, in chunks.
/// **Order:** urgent messages overtake all others, also between two chunks of a blob, so that a
/// heartbeat does not wait for gigabytes; other messages keep their order.
/// **Proof:** neither end sends or accepts a message before both have proved that they hold the job
/// key (Stream). Owned by a Member; see there for locking.
class Connection {
 public:
  using Handler = std::function<void(const Message&, std::vector<Blob>)>;

  explicit Connection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  /// Queues an urgent message, which the next write() sends first.
  void send(const Message& message);
  /// Queues a message after those already queued.
  void push(const Message& message);
  /// Queues a message with `sizes.size()` blobs, whose bytes are concatenated in `bytes`.
  void push_blobs(Message message, const std::vector<std::size_t>& sizes,
                  const std::shared_ptr<const Blob>& bytes);
  /// Queues a message that ends the work of the other end: behind the queued ones if they are
  /// short, otherwise in place of them.
  void send_last(const Message& message);
  /// Drops all queued frames except one that has been partly written.
  void drop_unwritten();
  bool has_unwritten() const { return written_ < size_of(current_) || has_next(); }

  /// Reads the bytes that have arrived and calls `handle` for each message. Stops after some
  /// megabytes, or after one frame if `one` is true. Returns how the connection has ended; nullopt
  /// if it has not ended.
  std::optional<End> read(const Handler& handle, bool one = false);
  /// Writes as many bytes as the stream takes, up to some megabytes.
  void write();
  /// If everything has been written, tells the other end that nothing more will come.
  void finish();
  /// Whether read() or write() has stopped before all was done, so that other connections get their
  /// turn.
  bool has_more() const { return more_to_read_ || more_to_write_; }

  /// Whether the other end has proved that it holds the key.
  bool is_proved() const { return stream_->is_proved(); }
  /// Number of bytes received.
  std::uint64_t bytes_read() const { return stream_->bytes_read(); }
  /// Number of bytes received and sent.
  std::uint64_t bytes_moved() const { return stream_->bytes_read() + stream_->bytes_written(); }
  /// Numeric addresses of both ends.
  std::string own_address() const { return stream_->own_address(); }
  std::string peer_address() const { return stream_->peer_address(); }

 private:
  /// A frame that waits to be written.
  struct Frame {
    Blob head;                          ///< lengths and message
    Bytes body{};                       ///< the bytes of blobs
    std::shared_ptr<const Blob> owner;  ///< keeps the bytes of `body` alive
  };
  /// Blobs that have been announced but are not complete.
  struct Incoming {
    Message message;
    std::vector<std::size_t> sizes;
    std::vector<Blob> blobs;
    std::size_t next = 0;  ///< index of the first blob that is not complete
  };

  static std::size_t size_of(const Frame& frame) { return frame.head.size() + frame.body.size(); }
  bool has_next() const { return !urgent_.empty() || !ordered_.empty(); }
  bool take_next();
  bool write_some();
  bool read_frame(const Handler& handle);
  bool fill(std::size_t size);
  void deliver(Bytes text, Bytes body, const Handler& handle);
  void begin_blobs(Message message);
  void add_bytes(Bytes body, const Handler& handle);
  std::optional<End> end() const { return is_malformed_ ? End::malformed : stream_->end(); }

  std::unique_ptr<Stream> stream_;
  bool more_to_read_ = false;
  bool more_to_write_ = false;
  bool is_malformed_ = false;  ///< the other end has sent a malformed message

  std::deque<Frame> urgent_;
  std::deque<Frame> ordered_;
  Frame current_;            ///< the frame being written
  std::size_t written_ = 0;  ///< number of its bytes that have been written

  Blob buffer_;  ///< the frame being read
  std::size_t filled_ = 0;
  std::optional<Incoming> incoming_;
};

}  // namespace toroid::job
