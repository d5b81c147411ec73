#include "router/job/socket_network.hpp"

#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>

#include <optional>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/tls_stream.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;

/// A socket that connects.
class SocketCall final : public Call {
 public:
  SocketCall(asio::io_context& context, const Tls& tls, const tcp::endpoint& at)
      : socket_(context), tls_(tls) {
    socket_.async_connect(at, [error = error_](const std::error_code& end) { *error = end; });
  }

  std::optional<std::string> error() const override {
    if (!*error_) return {};
    return **error_ ? (*error_)->message() : "";
  }
  std::unique_ptr<Stream> stream() override {
    return std::make_unique<TlsStream>(std::move(socket_), tls_, true);
  }

 private:
  tcp::socket socket_;
  const Tls& tls_;
  /// Shared with the handler of the end.
  std::shared_ptr<std::optional<std::error_code>> error_ =
      std::make_shared<std::optional<std::error_code>>();
};

Socket listener_of(const Bootstrap& bootstrap) {
  if (bootstrap.listener >= 0) return Socket(bootstrap.listener);
  TOROID_CHECK(!bootstrap.master.empty());
  return listen_as(bootstrap.master.front(), bootstrap.port);
}

}  // namespace

/// The kernel knows the address family of the socket; the protocol passed to Asio does not matter.
std::string SocketNetwork::listen(const Bootstrap& bootstrap) {
  acceptor_.assign(tcp::v6(), listener_of(bootstrap).release());
  acceptor_.non_blocking(true);
  return text_of(acceptor_.local_endpoint().address());
}

void SocketNetwork::stop_listening() {
  std::error_code gone;
  acceptor_.close(gone);
}

std::unique_ptr<Stream> SocketNetwork::accept() {
  if (!acceptor_.is_open() || !acceptable_) return nullptr;
  std::error_code error;
  tcp::socket socket = acceptor_.accept(error);
  if (error == asio::error::would_block) acceptable_.await(acceptor_, tcp::acceptor::wait_read);
  if (error) return nullptr;  // if out of file descriptors, the next turn tries again
  return std::make_unique<TlsStream>(std::move(socket), tls_, false);
}

Resolved SocketNetwork::resolve(const std::string& host) {
  Resolved resolved;
  std::error_code error;
  for (const auto& entry : tcp::resolver(loop_.context()).resolve(host, "", error))
    resolved.addresses.push_back(entry.endpoint().address().to_string());
  if (error) resolved.error = error.message();
  return resolved;
}

std::unique_ptr<Call> SocketNetwork::call(const std::string& address, std::uint16_t port) {
  return std::make_unique<SocketCall>(loop_.context(), tls_,
                                      tcp::endpoint(asio::ip::make_address(address), port));
}

}  // namespace toroid::job
