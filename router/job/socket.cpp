#include "router/job/socket.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>  // IWYU pragma: keep (IFF_UP is an enumerator and a macro of its own name)
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "hal/check.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;
using Name = int (*)(int, sockaddr*, socklen_t*);

tcp::resolver::results_type resolve(const std::string& host, std::uint16_t port,
                                    std::error_code& error) {
  asio::io_context context;
  using Flags = tcp::resolver;
  return tcp::resolver(context).resolve(host, std::to_string(port),
                                        Flags::passive | Flags::numeric_service, error);
}

Socket listen_at(const tcp::endpoint& at, std::error_code& error) {
  asio::io_context context;
  tcp::acceptor acceptor(context);
  acceptor.open(at.protocol(), error);
  if (error) return {};
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  if (at.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false));
  acceptor.bind(at, error);
  if (!error) acceptor.listen(SOMAXCONN, error);
  if (error) return {};
  Socket socket(acceptor.release());
  make_private(socket);
  return socket;
}

/// Prefers IPv6: such a socket accepts IPv4 as well.
Socket listen_at_any(const std::string& address, std::uint16_t port) {
  std::error_code error;
  const auto found = resolve(address, port, error);
  for (const bool v6 : {true, false})
    for (const auto& entry : found)
      if (entry.endpoint().address().is_v6() == v6)
        if (Socket socket = listen_at(entry.endpoint(), error)) return socket;
  throw RunFailed(fmt::format("process 0 cannot listen on {} port {}: {}",
                              address.empty() ? "any address," : address, port, error.message()));
}

std::string numeric(const sockaddr& address, socklen_t size) {
  char text[NI_MAXHOST] = "";
  ::getnameinfo(&address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string name = text;
  const std::string mapped = "::ffff:";  // prefix of an IPv4 address on an IPv6 socket
  return name.starts_with(mapped) ? name.substr(mapped.size()) : name;
}

std::string address_by(Name name, const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  name(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return numeric(reinterpret_cast<const sockaddr&>(address), size);
}

bool is_up(const ifaddrs& interface) {
  return interface.ifa_addr != nullptr && (interface.ifa_flags & IFF_UP) != 0 &&
         (interface.ifa_flags & IFF_LOOPBACK) == 0;
}

/// Empty: it is of this link only, or no IP address.
std::string address_of(const ifaddrs& interface) {
  if (interface.ifa_addr->sa_family == AF_INET)
    return numeric(*interface.ifa_addr, sizeof(sockaddr_in));
  if (interface.ifa_addr->sa_family != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(*interface.ifa_addr);
  return IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr) ? "" : numeric(*interface.ifa_addr, sizeof v6);
}

}  // namespace

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Socket listen_on_all(std::uint16_t port) {
  return listen_at_any("", port);
}

Socket listen_on(const std::string& address, std::uint16_t port) {
  return listen_at_any(address, port);
}

Socket listen_as(const std::string& name, std::uint16_t port) {
  std::error_code unknown;
  if (!is_loopback(name))
    for (const auto& entry : resolve(name, port, unknown))
      if (entry.endpoint().address().is_loopback()) return listen_on_all(port);
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

std::uint16_t port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  // The port lies at the same place in both kinds of address.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::string own_address(const Socket& socket) {
  return address_by(
      [](int fd, sockaddr* address, socklen_t* size) { return ::getsockname(fd, address, size); },
      socket);
}

std::string peer_address(const Socket& socket) {
  return address_by(
      [](int fd, sockaddr* address, socklen_t* size) { return ::getpeername(fd, address, size); },
      socket);
}

std::vector<std::string> interface_addresses() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next)
    if (is_up(*one))
      if (std::string text = address_of(*one); !text.empty()) found.push_back(text);
  return found;
}

}  // namespace toroid::job
