#include "router/job/listening_socket.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>  // IWYU pragma: keep (IFF_UP is an enumerator and a macro of its own name)
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <system_error>

#include "hal/check.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;

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

tcp::endpoint endpoint_of(const sockaddr* address, std::size_t size) {
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), address, size);
  return endpoint;
}

/// The interface's address; empty if it is down, link-local, loopback, or not an IP address.
std::string address_of(const ifaddrs& interface) {
  const sockaddr* const raw = interface.ifa_addr;
  const bool v4 = raw != nullptr && raw->sa_family == AF_INET;
  if (raw == nullptr || (!v4 && raw->sa_family != AF_INET6) || (interface.ifa_flags & IFF_UP) == 0)
    return {};
  const auto address = endpoint_of(raw, v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6)).address();
  const bool local = address.is_v6() && address.to_v6().is_link_local();
  return local || (interface.ifa_flags & IFF_LOOPBACK) != 0 ? "" : text_of(address);
}

}  // namespace

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

/// Prefers IPv6, because an IPv6 socket also accepts IPv4.
Socket listen_on(const std::string& address, std::uint16_t port) {
  std::error_code error;
  const auto found = resolve(address, port, error);
  for (const bool v6 : {true, false})
    for (const auto& entry : found)
      if (entry.endpoint().address().is_v6() == v6)
        if (Socket socket = listen_at(entry.endpoint(), error)) return socket;
  throw RunFailed(fmt::format("process 0 cannot listen on {} port {}: {}",
                              address.empty() ? "any address," : address, port, error.message()));
}

Socket listen_as(const std::string& name, std::uint16_t port) {
  std::error_code unknown;
  if (!is_loopback(name))
    for (const auto& entry : resolve(name, port, unknown))
      if (entry.endpoint().address().is_loopback()) return listen_on("", port);
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
}

std::uint16_t port_of(const Socket& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return endpoint_of(reinterpret_cast<const sockaddr*>(&address), size).port();
}

std::string text_of(const asio::ip::address& address) {
  if (address.is_v4() || !address.to_v6().is_v4_mapped()) return address.to_string();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
}

std::vector<std::string> interface_addresses() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next)
    if (std::string text = address_of(*one); !text.empty()) found.push_back(text);
  return found;
}

}  // namespace toroid::job
