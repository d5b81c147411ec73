// Listening sockets of process 0, as file descriptors that a launcher can hand over, and functions
// for addresses.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace asio::ip {
class address;
}

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

/// Listens on the address that `name` resolves to. A host often resolves its own name to the
/// loopback, while other hosts resolve that name to another address. So if a `name` that is not a
/// loopback name resolves to the loopback, listens on all interfaces instead. Throws RunFailed.
Socket listen_as(const std::string& name, std::uint16_t port);
/// Listens on the interface with this address, or on all interfaces if `address` is empty. Port 0
/// means any free port. Throws RunFailed.
Socket listen_on(const std::string& address, std::uint16_t port);
/// Whether `address` belongs to the loopback. A job at such an address must not be visible on any
/// network.
bool is_loopback(const std::string& address);
bool is_listening(int fd);
/// Sets close-on-exec.
void make_private(const Socket& socket);

std::uint16_t port_of(const Socket& listener);
/// The numeric address; an IPv4-mapped IPv6 address is printed as IPv4.
std::string text_of(const asio::ip::address& address);
/// Addresses of all interfaces that are up, except loopback and link-local addresses.
std::vector<std::string> interface_addresses();

}  // namespace toroid::job
