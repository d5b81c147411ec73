// How both ends of a connection prove that they hold the key. Process 0 sends a nonce; the other
// answers with its own, its rank and an HMAC over all of it; process 0 answers with another HMAC.
// What was recorded elsewhere proves nothing, since each end has just drawn a nonce of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

using Nonce = std::array<std::byte, 32>;
Nonce draw_nonce();

/// Who claims to be whom to whom.
struct Claim {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  Nonce challenge{};  ///< drawn by process 0
  Nonce nonce{};      ///< drawn by the other
};

Blob encode_challenge(const Nonce& nonce);
Nonce decode_challenge(Bytes payload);

Blob encode_hello(const Claim& claim, const JobKey& key);
/// Throws Malformed where it is none or proves nothing.
Claim check_hello(Bytes payload, const Nonce& challenge, const JobKey& key);

Blob encode_welcome(const Claim& claim, const JobKey& key);
/// Throws Malformed.
void check_welcome(Bytes payload, const Claim& claim, const JobKey& key);

}  // namespace toroid::job
