#include "router/job/proof.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr std::uint64_t kProtocol = 0x31'64'69'6f'72'6f'74;  // "toroid1"
// They differ, so that a proof cannot be sent back to the process that made it.
constexpr std::string_view kHelloPurpose = "toroid job: to process 0";
constexpr std::string_view kWelcomePurpose = "toroid job: from process 0";

Digest prove(std::string_view purpose, const Claim& claim, const JobKey& key) {
  return key.sign(purpose, Writer()
                               .put(kProtocol)
                               .put(claim.rank)
                               .put(claim.size)
                               .put_bytes(claim.challenge)
                               .put_bytes(claim.nonce)
                               .bytes());
}

std::array<std::byte, 32> get_32(Reader& reader) {
  std::array<std::byte, 32> bytes{};
  const Bytes from = reader.get_bytes(bytes.size());
  std::copy(from.begin(), from.end(), bytes.begin());
  return bytes;
}

void check_protocol(Reader& reader) {
  if (reader.get<std::uint64_t>() != kProtocol) throw Malformed("not a process of this version");
}

}  // namespace

Nonce draw_nonce() {
  Writer writer;
  for (int i = 0; i < 4; ++i) writer.put(random_word());
  Reader reader(writer.bytes());
  return get_32(reader);
}

Blob encode_challenge(const Nonce& nonce) {
  return Writer().put(kProtocol).put_bytes(nonce).bytes();
}

Nonce decode_challenge(Bytes payload) {
  Reader reader(payload);
  check_protocol(reader);
  const Nonce nonce = get_32(reader);
  reader.end();
  return nonce;
}

Blob encode_hello(const Claim& claim, const JobKey& key) {
  return Writer()
      .put(kProtocol)
      .put(claim.rank)
      .put(claim.size)
      .put_bytes(claim.nonce)
      .put_bytes(prove(kHelloPurpose, claim, key))
      .bytes();
}

Claim check_hello(Bytes payload, const Nonce& challenge, const JobKey& key) {
  Reader reader(payload);
  check_protocol(reader);
  Claim claim;
  claim.rank = reader.get<std::uint32_t>();
  claim.size = reader.get<std::uint32_t>();
  claim.challenge = challenge;
  claim.nonce = get_32(reader);
  const Digest proof = get_32(reader);
  reader.end();
  if (!equal_digests(proof, prove(kHelloPurpose, claim, key)))
    throw WrongKey("it does not hold the same key");
  return claim;
}

Blob encode_welcome(const Claim& claim, const JobKey& key) {
  return Writer().put_bytes(prove(kWelcomePurpose, claim, key)).bytes();
}

void check_welcome(Bytes payload, const Claim& claim, const JobKey& key) {
  Reader reader(payload);
  const Digest proof = get_32(reader);
  reader.end();
  if (!equal_digests(proof, prove(kWelcomePurpose, claim, key)))
    throw Malformed("it does not hold the key");
}

}  // namespace toroid::job
