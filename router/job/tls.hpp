// How both ends of a connection prove that they hold the job key, and keep others from what they
// say: TLS 1.3 with a pre-shared key, derived from the job's, and an ephemeral Diffie-Hellman
// exchange. There are no certificates: an end that does not hold the key gets no further than its
// first message.
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

/// What all connections of a process have in common.
class Tls {
 public:
  /// Throws RunFailed.
  explicit Tls(const JobKey& key);

  /// Over a socket that does not block and outlives it. The first read or write begins the
  /// handshake, by this end if it `calls`.
  TlsConnection over(int socket, bool calls) const;

 private:
  std::unique_ptr<const Digest> key_;  ///< what the context points to
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

/// After an error of OpenSSL: whether it says that the other end holds another key.
bool says_wrong_key();

}  // namespace toroid::job
