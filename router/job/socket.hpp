// Where process 0 listens, as file descriptors that a launcher can hand over, and addresses.
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

/// Listens where others reach this host by `name`: on the address that it stands for; on all
/// interfaces where that is the loopback though the name is none of its own, as a host's name often
/// is on the host itself, because others take it for another address. Throws RunFailed.
Socket listen_as(const std::string& name, std::uint16_t port);
/// Listens on the interface of one address; of none: on all. Port 0 stands for any free one. Throws
/// RunFailed.
Socket listen_on(const std::string& address, std::uint16_t port);
/// Whether `address` belongs to the loopback. A job that is reached there must not be visible on
/// any network.
bool is_loopback(const std::string& address);
bool is_listening(int fd);
/// Has a descriptor closed when this process executes another program.
void make_private(const Socket& socket);

std::uint16_t port_of(const Socket& listener);
/// Numeric; an IPv4 address of an IPv6 socket as one of IPv4.
std::string text_of(const asio::ip::address& address);
/// Addresses of all interfaces that are up, without loopback and link-local ones.
std::vector<std::string> interface_addresses();

}  // namespace toroid::job
