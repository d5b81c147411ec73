// How both ends of a connection prove that they hold the job key.
//
// **Protocol:** process 0 sends a nonce (challenge). The other process answers with a nonce of its
// own, its rank and an HMAC of all of it (hello). Process 0 answers with another HMAC (welcome).
// **Safety:** a recording of another connection proves nothing, because each end has just drawn a
// nonce of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

using Nonce = std::array<std::byte, 32>;
Nonce draw_nonce();

/// What a process claims to be, and the nonces of both ends.
struct Claim {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;  ///< processes of the job
  Nonce challenge{};       ///< drawn by process 0
  Nonce nonce{};           ///< drawn by the other
};

/// The other end speaks this protocol, but does not hold the same key.
class WrongKey : public Malformed {
 public:
  using Malformed::Malformed;
};

Blob encode_challenge(const Nonce& nonce);
Nonce decode_challenge(Bytes payload);

Blob encode_hello(const Claim& claim, const JobKey& key);
/// The claim of a hello. Throws Malformed if the payload is none, WrongKey if its HMAC is wrong.
Claim check_hello(Bytes payload, const Nonce& challenge, const JobKey& key);

Blob encode_welcome(const Claim& claim, const JobKey& key);
/// Throws Malformed if the payload is no welcome, or its HMAC is wrong.
void check_welcome(Bytes payload, const Claim& claim, const JobKey& key);

}  // namespace toroid::job
