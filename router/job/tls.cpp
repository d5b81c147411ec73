#include "router/job/tls.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "hal/check.hpp"
#include "router/job/key.hpp"

namespace toroid::job {
namespace {

constexpr std::string_view kIdentity = "toroid job";
constexpr const char* kSuite = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kSuiteId[] = {0x13, 0x01};

void free_key(void*, void* key, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Digest*>(key);
}

/// Where a context keeps its key.
int key_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_key);
  return index;
}

/// The session that the pre-shared key stands for; the caller owns it.
SSL_SESSION* session_of(SSL* tls) {
  const auto* key =
      static_cast<const Digest*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(tls), key_index()));
  SSL_SESSION* session = SSL_SESSION_new();
  const auto* bytes = reinterpret_cast<const unsigned char*>(key->data());
  if (session != nullptr && SSL_SESSION_set1_master_key(session, bytes, key->size()) == 1 &&
      SSL_SESSION_set_cipher(session, SSL_CIPHER_find(tls, kSuiteId)) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

int offer_key(SSL* tls, const EVP_MD*, const unsigned char** identity, std::size_t* length,
              SSL_SESSION** session) {
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *length = kIdentity.size();
  *session = session_of(tls);
  return *session != nullptr ? 1 : 0;
}

int find_key(SSL* tls, const unsigned char* identity, std::size_t length, SSL_SESSION** session) {
  const bool ours = std::string_view(reinterpret_cast<const char*>(identity), length) == kIdentity;
  *session = ours ? session_of(tls) : nullptr;
  return !ours || *session != nullptr ? 1 : 0;
}

}  // namespace

/// An end that is called has no certificate, and one that calls trusts none: without the key there
/// is no handshake.
std::shared_ptr<asio::ssl::context> make_tls(const JobKey& key) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tlsv13);
  SSL_CTX* tls = context->native_handle();
  auto psk = std::make_unique<Digest>(key.sign("toroid job: TLS", {}));
  if (SSL_CTX_set_ex_data(tls, key_index(), psk.get()) != 1 ||
      SSL_CTX_set_ciphersuites(tls, kSuite) != 1 || SSL_CTX_set_num_tickets(tls, 0) != 1)
    throw RunFailed("TLS 1.3 is not available");
  psk.release();
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_psk_use_session_callback(tls, offer_key);
  SSL_CTX_set_psk_find_session_callback(tls, find_key);
  return context;
}

bool is_proved(ssl_st* tls) {
  return SSL_session_reused(tls) == 1;
}

bool says_wrong_key(const std::error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  return reason == SSL_R_BINDER_DOES_NOT_VERIFY || reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR ||
         reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER;
}

bool has_heard(ssl_st* tls) {
  return BIO_number_read(SSL_get_rbio(tls)) > 0;
}

}  // namespace toroid::job
