// TCP as an intruder uses it: who listens, connections that send what they like, and a relay that
// records.
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

/// Where processes of this host listen, sorted; who listens everywhere, at the host's address.
std::vector<Endpoint> listening(const Host& host);

/// Listens on a host, at any free port.
class Listener {
 public:
  explicit Listener(const Host& host);

  const Endpoint& endpoint() const { return endpoint_; }
  int file() const { return socket_.get(); }
  /// The next connection. Throws std::system_error if none comes within the limit.
  FileDescriptor accept(Milliseconds limit = Milliseconds(5000)) const;

 private:
  FileDescriptor socket_;
  Endpoint endpoint_;
};

/// A connection from this host. Throws std::system_error.
FileDescriptor connect_from(const Host& host, const Endpoint& to,
                            Milliseconds limit = Milliseconds(5000));

/// As much of it as the other side takes before it hangs up, or within the limit.
void send_all(const FileDescriptor& connection, std::string_view bytes, Milliseconds limit);

/// What the other side sends until there is so much of it, it hangs up, or time is over.
std::string receive(const FileDescriptor& connection, std::size_t size, Milliseconds limit);

/// Passes connections on, and keeps what their openers send.
class Relay {
 public:
  Relay(const Host& host, Endpoint target);
  ~Relay();

  const Endpoint& endpoint() const { return listener_.endpoint(); }
  /// So far, by connection in order of their coming.
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
