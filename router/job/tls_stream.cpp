#include "router/job/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <system_error>
#include <utility>

#include "router/job/listening_socket.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;

}  // namespace

TlsStream::TlsStream(tcp::socket socket, const Tls& tls, bool calls) : socket_(std::move(socket)) {
  std::error_code gone;
  own_address_ = text_of(socket_.local_endpoint(gone).address());
  peer_address_ = text_of(socket_.remote_endpoint(gone).address());
  socket_.non_blocking(true);
  socket_.set_option(tcp::no_delay(true));
  tls_ = tls.over(socket_.native_handle(), calls);
}

std::size_t TlsStream::read(std::span<std::byte> to) {
  if (end_ || !readable_) return 0;
  std::size_t done = 0;
  ERR_clear_error();
  const int result = SSL_read_ex(tls_.get(), to.data(), to.size(), &done);
  if (result != 1) note(SSL_get_error(tls_.get(), result));
  return done;
}

/// If a write fails because the other end has closed the connection, the stream does not end yet.
std::size_t TlsStream::write(std::span<const std::byte> from) {
  if (end_ || !writable_) return 0;
  std::size_t done = 0;
  ERR_clear_error();
  const int result = SSL_write_ex(tls_.get(), from.data(), from.size(), &done);
  if (result == 1) return done;
  const int error = SSL_get_error(tls_.get(), result);
  if (error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_SSL) note(error);
  return done;
}

void TlsStream::note(int error) {
  if (error == SSL_ERROR_WANT_READ) return readable_.await(socket_, tcp::socket::wait_read);
  if (error == SSL_ERROR_WANT_WRITE) return writable_.await(socket_, tcp::socket::wait_write);
  if (error != SSL_ERROR_SSL)
    end_ = End::lost;
  else
    end_ = says_wrong_key() ? End::wrong_key : End::malformed;
}

void TlsStream::finish() {
  std::error_code gone;
  socket_.shutdown(tcp::socket::shutdown_send, gone);
}

bool TlsStream::is_proved() const {
  return SSL_is_init_finished(tls_.get()) == 1;
}

std::uint64_t TlsStream::bytes_read() const {
  return BIO_number_read(SSL_get_rbio(tls_.get()));
}

std::uint64_t TlsStream::bytes_written() const {
  return BIO_number_written(SSL_get_wbio(tls_.get()));
}

}  // namespace toroid::job
