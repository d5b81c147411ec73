// The payload of a job's message is what the message may say, or malformed; what it says is written
// and read again as the same. Input: one byte that picks the message, then the payload.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/process_info.hpp"
#include "router/job/proof.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

/// The messages whose encoding has one form only.
template <typename Message>
void check_round_trip(const Message& message, Bytes payload) {
  TOROID_CHECK(std::ranges::equal(encode(message), payload));
}

void read_info(Bytes payload) {
  Reader reader(payload);
  const ProcessInfo info = decode_info(reader);
  reader.end();
  TOROID_CHECK_LE(info.host.size() + info.address.size() + info.kernel.size(), payload.size());
}

void read_proof(Bytes payload) {
  static const JobKey kKey(std::string(40, 'k'));
  (void)check_hello(payload, Nonce{}, kKey);
  TOROID_CHECK(false);  // nobody has signed it
}

void read_parts(Bytes payload) {
  std::size_t bytes = 0;
  for (const Blob& part : unpack(payload, 3)) bytes += part.size();
  TOROID_CHECK_LE(bytes, payload.size());
}

void read_message(unsigned which, Bytes payload) {
  switch (which % 7) {
    case 0:
      return read_info(payload);
    case 1:
      return void(decode_report(payload));
    case 2:
      return check_round_trip(decode_blob_head(payload), payload);
    case 3:
      return void(decode_challenge(payload));
    case 4:
      return read_proof(payload);
    case 5:
      return void(Roster(2).decode(payload));
    default:
      return read_parts(payload);
  }
}

}  // namespace
}  // namespace toroid::job

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toroid::job;
  if (size == 0) return 0;
  try {
    read_message(data[0], std::as_bytes(std::span(data + 1, size - 1)));
  } catch (const Malformed&) {
  }
  return 0;
}
