// A stream between two processes of a job: TLS over a TCP socket.
#pragma once

#include <asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "router/job/event_loop.hpp"
#include "router/job/network.hpp"
#include "router/job/tls.hpp"

namespace toroid::job {

/// A Stream over a socket. Owned and called by the job's thread; the loop watches the socket
/// whenever nothing can be read or written.
class TlsStream final : public Stream {
 public:
  /// Takes over a connected socket. `calls`: this end has initiated the connection.
  TlsStream(asio::ip::tcp::socket socket, const Tls& tls, bool calls);

  std::size_t read(std::span<std::byte> to) override;
  std::size_t write(std::span<const std::byte> from) override;
  void finish() override;
  std::optional<End> end() const override { return end_; }
  bool is_proved() const override;
  std::uint64_t bytes_read() const override;
  std::uint64_t bytes_written() const override;
  std::string own_address() const override { return own_address_; }
  std::string peer_address() const override { return peer_address_; }

 private:
  void note(int error);

  asio::ip::tcp::socket socket_;
  std::string own_address_;
  std::string peer_address_;
  TlsConnection tls_;
  Readiness readable_;
  Readiness writable_;
  std::optional<End> end_;
};

}  // namespace toroid::job
