#include "router/job/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "hal/check.hpp"

namespace toroid::job {
namespace {

constexpr const char* kIdentity = "toroid job";
constexpr std::size_t kReadAhead = 128 << 10;  // bytes

unsigned copy_key(SSL* tls, unsigned char* to, unsigned room) {
  const auto* key = static_cast<const Digest*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls)));
  if (room < key->size()) return 0;
  std::memcpy(to, key->data(), key->size());
  return static_cast<unsigned>(key->size());
}

unsigned offer_key(SSL* tls, const char*, char* identity, unsigned room, unsigned char* key,
                   unsigned key_room) {
  if (room <= std::strlen(kIdentity)) return 0;
  std::strcpy(identity, kIdentity);
  return copy_key(tls, key, key_room);
}

unsigned find_key(SSL* tls, const char* identity, unsigned char* key, unsigned key_room) {
  return std::string_view(identity) == kIdentity ? copy_key(tls, key, key_room) : 0;
}

}  // namespace

void FreeTls::operator()(ssl_st* tls) const {
  SSL_free(tls);
}

void FreeTls::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

/// The server has no certificate and the client trusts none: without the key the handshake fails.
Tls::Tls(const JobKey& key)
    : key_(std::make_unique<const Digest>(key.sign("toroid job: TLS", {}))),
      context_(SSL_CTX_new(TLS_method())) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1)
    throw RunFailed("TLS 1.3 is not available");
  SSL_CTX_set_app_data(context, const_cast<Digest*>(key_.get()));
  SSL_CTX_set_psk_client_callback(context, offer_key);
  SSL_CTX_set_psk_server_callback(context, find_key);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAhead);
}

TlsConnection Tls::over(int socket, bool calls) const {
  TlsConnection tls(SSL_new(context_.get()));
  if (!tls || SSL_set_fd(tls.get(), socket) != 1) throw RunFailed("TLS 1.3 is not available");
  if (calls) SSL_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  calls ? SSL_set_connect_state(tls.get()) : SSL_set_accept_state(tls.get());
  return tls;
}

bool says_wrong_key() {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  return reason == SSL_R_BINDER_DOES_NOT_VERIFY || reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR ||
         reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER;
}

}  // namespace toroid::job
