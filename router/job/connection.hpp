// A connection between two processes, over TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "router/job/blob.hpp"
#include "router/job/loop.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace asio::ssl {
class context;
}

namespace toroid::job {

/// Frames that wait to be written: a byte that says whether it is a message or bytes of a blob,
/// four of length, and the payload. **Order:** urgent frames overtake all others, and blobs between
/// any two of their chunks, so that a heartbeat does not wait for gigabytes; the others keep their
/// order.
class Outbox {
 public:
  void push_urgent(const Message& message);
  void push(const Message& message);
  /// `head` says what the blob is; its size is added.
  void push_blob(Message head, std::shared_ptr<const Blob> blob);
  /// Drops all frames except the one that is being written.
  void drop_unwritten();

  bool empty() const { return current().empty() && urgent_.empty() && ordered_.empty(); }
  /// The bytes to be written next; empty: none. They stay where they are until they are written().
  Bytes next();
  void written(std::size_t bytes) { written_ += bytes; }

 private:
  /// A frame, or a blob whose bytes from `begin` are still to be cut into frames.
  struct Item {
    Blob frame;
    std::shared_ptr<const Blob> blob;
    std::size_t begin = 0;
  };

  Bytes current() const;
  void take_next();
  void take_chunk();

  std::deque<Blob> urgent_;
  std::deque<Item> ordered_;
  Blob head_;                          ///< what is being written: a frame, or the head of a chunk
  Bytes body_;                         ///< the bytes of that chunk
  std::shared_ptr<const Blob> owner_;  ///< the blob that body_ belongs to
  std::size_t written_ = 0;            ///< bytes written of head_ and body_ together
};

/// How a connection has ended.
enum class End {
  lost,       ///< the other end has closed it, or the way there is gone
  malformed,  ///< it sent what no process of this version sends
  wrong_key,  ///< it holds another key
};

/// A connection, whose handlers run in the loop with its mutex; so all its functions are called. It
/// stays until what Asio does with it has ended.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Handlers {
    std::function<void(const Message&)> message{};
    std::function<void(const Message& head, Blob)> blob{};
    std::function<void()> heard{};     ///< bytes have come
    std::function<void(End)> ended{};  ///< called once, and not after close()
  };

  /// Takes over a socket that is connected.
  Connection(Loop& loop, asio::ssl::context& tls, Socket socket);
  ~Connection();

  /// Begins to prove to the other end that this process holds the key, and the reverse. Then
  /// `proved` is called, or Handlers::ended, and nothing before that.
  void start(bool calls, Handlers handlers, std::function<void()> proved);
  void set_handlers(Handlers handlers);

  /// Sends an urgent message.
  void send(const Message& message);
  Outbox& outbox() { return outbox_; }
  /// Writes what is in the outbox, as soon as that is possible.
  void flush();
  /// Once all is written, tells the other end that no more will come.
  void finish();
  /// Ends it without a word.
  void close();

  /// Whether any byte has ever arrived.
  bool has_heard() const;
  /// Numeric addresses of both ends.
  const std::string& own_address() const { return own_address_; }
  const std::string& peer_address() const { return peer_address_; }

 private:
  struct Stream;

  void handshaken(const std::error_code& error, const std::function<void()>& proved);
  void read();
  void parse();
  void deliver(bool is_message, Bytes payload);
  void deliver_message(const Message& message);
  void deliver_blob();
  void end(End how);

  Loop& loop_;
  std::string own_address_;
  std::string peer_address_;
  std::unique_ptr<Stream> stream_;
  std::shared_ptr<const Handlers> handlers_;
  bool proved_ = false;
  bool writes_ = false;     ///< a write is under way
  bool finishing_ = false;  ///< no more is to be written
  bool closed_ = false;
  Outbox outbox_;

  Blob buffer_;  ///< bytes that have been read and are no whole frame yet
  std::size_t filled_ = 0;
  std::unique_ptr<Message> head_;  ///< of the blob that is being read; null: none is
  std::uint64_t size_ = 0;         ///< of that blob
  Blob blob_;
};

using ConnectionPtr = std::shared_ptr<Connection>;

}  // namespace toroid::job
