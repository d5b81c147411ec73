// Plain sockets, for programs that are not processes of a job.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "router/job/blob.hpp"
#include "router/job/listening_socket.hpp"

namespace toroid::testing {

/// A connection to an IPv4 address; empty if nobody listens there.
inline job::Socket connect_to(const std::string& address, std::uint16_t port) {
  job::Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
  ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  const bool good = ::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  return good ? std::move(socket) : job::Socket();
}

inline job::Socket accept_on(const job::Socket& listener) {
  return job::Socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
}

/// Waits until there is something to read, at most for `time`. Returns whether there is.
inline bool wait_for(const job::Socket& socket, std::chrono::milliseconds time) {
  pollfd watched{socket.fd(), POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(time.count())) > 0;
}

inline void send_bytes(const job::Socket& socket, std::span<const std::byte> bytes) {
  ::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

/// Reads until the other end closes the connection, and returns all bytes.
inline Blob rest_of(const job::Socket& socket) {
  Blob all;
  std::byte one{};
  while (wait_for(socket, std::chrono::milliseconds(30000)) && ::recv(socket.fd(), &one, 1, 0) == 1)
    all.push_back(one);
  return all;
}

}  // namespace toroid::testing
