// The messages of a job, in CBOR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"

namespace toroid {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProcessInfo, host, pid, address, kernel)

namespace termination {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemberReport, passive, injected, delivered, moved, rounds,
                                   suspect, without)
}

namespace job {

using Bytes = std::span<const std::byte>;
/// A map whose member "is" gives its kind: hello, welcome, refusal, table, heartbeat, ping, pong,
/// blobs, report, wave, verdict, loss, failure, goodbye. Reading a member that is missing or has a
/// wrong type throws Message::exception.
using Message = nlohmann::json;

/// Something arrived that this version never sends.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline Blob encode(const Message& message) {
  const auto cbor = Message::to_cbor(message);
  const auto bytes = std::as_bytes(std::span(cbor));
  return {bytes.begin(), bytes.end()};
}

/// Decodes a message. Throws Malformed or Message::exception.
inline Message decode(Bytes bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  Message message = Message::from_cbor(begin, begin + bytes.size());
  if (!message.is_object()) throw Malformed("not a message");
  return message;
}

struct NumberedReport {
  std::uint32_t watch = 0;  ///< number of the watched run that the report belongs to, from 1
  std::uint32_t wave = 0;   ///< the wave that the report answers; 0 if none
  termination::MemberReport report;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NumberedReport, watch, wave, report)

/// A process's introduction to process 0.
struct Hello {
  unsigned rank = 0;
  unsigned size = 0;  ///< number of processes of the job
  ProcessInfo process;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, rank, size, process)
/// Part of a hello. A process that sends another value is refused.
inline constexpr const char* kProtocol = "toroid2";

enum class BlobKind : std::uint32_t { gather, all_gather };

}  // namespace job

}  // namespace toroid
