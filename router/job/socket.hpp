// TCP sockets: none of them ever blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace toroid::job {

/// An owned file descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Listens on every interface, or on one address only; port 0: a free one. Throws RunFailed.
Socket listen_on_all(std::uint16_t port);
Socket listen_on(const std::string& address, std::uint16_t port);
/// What `address` is for the loopback; such a job must not be seen on any network.
bool is_loopback(const std::string& address);
bool is_listening(int fd);
/// Never blocks, and is closed where this process runs another program.
void make_private(const Socket& socket);

/// The next one that has come in, if any.
Socket accept_on(const Socket& listener);

/// Called several times a second by a wait, which ends with what it throws.
using Poll = std::function<void()>;
inline constexpr std::chrono::milliseconds kPollPeriod{50};

/// One connection, tried at every address that `host` has until the time is over; `why` says what
/// went wrong where there is none.
Socket connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds time,
                  std::string& why, const Poll& poll = {});

std::uint16_t port_of(const Socket& socket);
/// Numeric.
std::string own_address(const Socket& socket);
std::string peer_address(const Socket& socket);
/// Of all interfaces that are up, without loopback and link-local ones.
std::vector<std::string> interface_addresses();

/// Until it can be read or written (poll's events) or the time is over.
bool wait_for(const Socket& socket, short events, std::chrono::milliseconds time,
              const Poll& poll = {});

}  // namespace toroid::job
