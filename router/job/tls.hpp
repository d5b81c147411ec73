// TLS 1.3 with a pre-shared key, derived from the job key, and an ephemeral Diffie-Hellman
// exchange. Both ends of a connection prove that they hold the job key, and nobody else can read or
// change their messages. There are no certificates: an end that does not hold the key gets no
// further than its first message.
#pragma once

#include <memory>

#include "router/job/key.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace toroid::job {

struct FreeTls {
  void operator()(ssl_st* tls) const;
  void operator()(ssl_ctx_st* context) const;
};
using TlsConnection = std::unique_ptr<ssl_st, FreeTls>;

/// The TLS context shared by all connections of a process.
class Tls {
 public:
  /// Makes the context. Throws RunFailed if OpenSSL does not provide TLS 1.3.
  explicit Tls(const JobKey& key);

  /// Makes a TLS connection over a non-blocking socket, which must outlive it. The first read or
  /// write begins the handshake; this end is the client if it `calls`.
  TlsConnection over(int socket, bool calls) const;

 private:
  std::unique_ptr<const Digest> key_;  ///< the context points to it
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

/// Whether OpenSSL's error means that the other end holds a different key. Called after an error.
bool says_wrong_key();

}  // namespace toroid::job
