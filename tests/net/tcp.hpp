// TCP as an intruder uses it: a list of listeners, connections that send any bytes, and a relay
// that records.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/net/file_descriptor.hpp"
#include "tests/net/host.hpp"
#include "tests/net/process.hpp"

namespace toroid::testing {

struct Endpoint {
  std::string address;  ///< numeric
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};

/// The endpoints at which processes of this host listen, sorted. Listeners on all addresses appear
/// with the host's address.
std::vector<Endpoint> listening(const Host& host);

/// Listens on a host, on any free port.
class Listener {
 public:
  explicit Listener(const Host& host);

  const Endpoint& endpoint() const { return endpoint_; }
  int file() const { return socket_.get(); }
  /// Accepts the next connection. Throws std::system_error if none arrives within the limit.
  FileDescriptor accept(Milliseconds limit = Milliseconds(5000)) const;

 private:
  FileDescriptor socket_;
  Endpoint endpoint_;
};

/// Opens a connection from this host. Throws std::system_error.
FileDescriptor connect_from(const Host& host, const Endpoint& to,
                            Milliseconds limit = Milliseconds(5000));

/// Sends the bytes until the other side hangs up or the limit is over.
void send_all(const FileDescriptor& connection, std::string_view bytes, Milliseconds limit);

/// Receives up to `size` bytes; stops early if the other side hangs up or the limit is over.
std::string receive(const FileDescriptor& connection, std::size_t size, Milliseconds limit);

/// Forwards connections, and records the bytes that their openers send.
class Relay {
 public:
  Relay(const Host& host, Endpoint target);
  ~Relay();

  const Endpoint& endpoint() const { return listener_.endpoint(); }
  /// The recorded bytes so far, per connection in order of arrival.
  std::vector<std::string> recorded() const;

 private:
  struct Connection {
    FileDescriptor opener;
    FileDescriptor target;
    std::string sent;  ///< by the opener
    bool open = true;
  };

  void run();
  void take_connection();
  void pass_on(Connection& connection);

  const Host& host_;
  Endpoint target_;
  Listener listener_;
  mutable std::mutex mutex_;
  std::vector<Connection> connections_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace toroid::testing
