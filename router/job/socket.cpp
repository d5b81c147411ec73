#include "router/job/socket.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/clocks.hpp"

namespace toroid::job {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::string error_text(int error) {
  return std::generic_category().message(error);
}

Addresses resolve(const char* host, std::uint16_t port, int flags, std::string& why) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host, std::to_string(port).c_str(), &hints, &found);
  if (error != 0) why = ::gai_strerror(error);
  return {error == 0 ? found : nullptr, &::freeaddrinfo};
}

Socket open_socket(const addrinfo& at) {
  return Socket(::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set(const Socket& socket, int level, int option, int value) {
  ::setsockopt(socket.fd(), level, option, &value, sizeof value);
}

Socket try_to_listen(const addrinfo& at) {
  Socket socket = open_socket(at);
  if (!socket) return {};
  set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (at.ai_family == AF_INET6) set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  const bool good =
      ::bind(socket.fd(), at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket.fd(), SOMAXCONN) == 0;
  return good ? std::move(socket) : Socket();
}

/// Prefers IPv6: such a socket accepts IPv4 as well.
Socket listen_at(const char* address, std::uint16_t port) {
  std::string why;
  const Addresses found = resolve(address, port, AI_PASSIVE, why);
  for (const int family : {AF_INET6, AF_INET})
    for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
      if (at->ai_family != family) continue;
      if (Socket socket = try_to_listen(*at)) return socket;
      why = error_text(errno);
    }
  throw RunFailed(fmt::format("process 0 cannot listen on {} port {}: {}",
                              address == nullptr ? "any address," : address, port, why));
}

Socket try_to_connect(const addrinfo& at, std::chrono::milliseconds time, std::string& why,
                      const Poll& poll) {
  Socket socket = open_socket(at);
  int error = errno;
  if (socket) {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    error = ::connect(socket.fd(), at.ai_addr, at.ai_addrlen) == 0 ? 0 : errno;
  }
  if (socket && error == EINPROGRESS) {
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (wait_for(socket, POLLOUT, time, poll))
      ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0) why = error_text(error);
  return error == 0 ? std::move(socket) : Socket();
}

std::string numeric(const sockaddr& address, socklen_t size) {
  char text[NI_MAXHOST] = "";
  ::getnameinfo(&address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string name = text;
  const std::string mapped = "::ffff:";  // prefix of an IPv4 address on an IPv6 socket
  return name.starts_with(mapped) ? name.substr(mapped.size()) : name;
}

}  // namespace

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Socket listen_on_all(std::uint16_t port) {
  return listen_at(nullptr, port);
}

Socket listen_on(const std::string& address, std::uint16_t port) {
  return listen_at(address.c_str(), port);
}

Socket listen_as(const std::string& name, std::uint16_t port) {
  if (is_loopback(name)) return listen_on(name, port);
  std::string why;
  const Addresses found = resolve(name.c_str(), port, 0, why);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next)
    if (is_loopback(numeric(*at->ai_addr, at->ai_addrlen))) return listen_on_all(port);
  return listen_on(name, port);
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

bool is_listening(int fd) {
  int yes = 0;
  socklen_t size = sizeof yes;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes != 0;
}

void make_private(const Socket& socket) {
  ::fcntl(socket.fd(), F_SETFD, FD_CLOEXEC);
  ::fcntl(socket.fd(), F_SETFL, ::fcntl(socket.fd(), F_GETFL) | O_NONBLOCK);
}

Socket accept_on(const Socket& listener) {
  Socket socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  return socket;
}

Socket connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds time,
                  std::string& why, const Poll& poll) {
  const Addresses found = resolve(host.c_str(), port, 0, why);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next)
    if (Socket socket = try_to_connect(*at, time, why, poll)) return socket;
  return {};
}

std::uint16_t port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  // The port lies at the same place in both kinds of address.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::string own_address(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return numeric(reinterpret_cast<const sockaddr&>(address), size);
}

std::string peer_address(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return numeric(reinterpret_cast<const sockaddr&>(address), size);
}

bool wait_for(const Socket& socket, short events, std::chrono::milliseconds time,
              const Poll& poll) {
  const auto until = Clock::now() + time;
  pollfd watched{socket.fd(), events, 0};
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (poll) left = std::min(left, kPollPeriod);
    const int ready = ::poll(&watched, 1, std::max(0, static_cast<int>(left.count())));
    if (ready > 0) return true;
    if (poll) poll();
    if (Clock::now() >= until) return false;
  }
}

WakeUp::WakeUp() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_) throw RunFailed("too many files are open");
}

/// The write fails only if the counter is full, and then the thread is about to wake anyway.
void WakeUp::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.fd(), &one, sizeof one);
}

void WakeUp::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({event_.fd(), POLLIN, 0});
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.fd(), &count, sizeof count);
}

}  // namespace toroid::job
