// How both ends of a connection prove that they hold the job key, and keep others from what they
// say: TLS 1.3 with a pre-shared key, derived from the job's, and an ephemeral Diffie-Hellman
// exchange. There are no certificates: an end that does not hold the key gets no further than its
// first message.
#pragma once

#include <memory>
#include <system_error>

#include "router/job/key.hpp"

struct ssl_st;

namespace asio::ssl {
class context;
}

namespace toroid::job {

/// For both ends. Throws RunFailed.
std::shared_ptr<asio::ssl::context> make_tls(const JobKey& key);

/// After a handshake without error: whether the pre-shared key was used.
bool is_proved(ssl_st* tls);
/// Whether this error of a handshake says that the other end holds another key.
bool says_wrong_key(const std::error_code& error);
/// Whether any byte has come from the other end.
bool has_heard(ssl_st* tls);

}  // namespace toroid::job
