// What goes over a job's connections: messages in CBOR, and the bytes of blobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stdexcept>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

using Bytes = std::span<const std::byte>;
/// A map whose member "is" says what it is: hello, welcome, refusal, table, heartbeat, ping, pong,
/// blob, report, wave, verdict, failure, goodbye.
using Message = nlohmann::json;

/// The first member of a hello: processes of other versions are refused.
inline constexpr const char* kProtocol = "toroid2";

/// What arrived is not what this version sends.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Blob encode(const Message& message);
/// Throws Malformed.
Message decode(Bytes bytes);

struct NumberedReport {
  std::uint32_t watch = 0;  ///< number of the watched run that the report belongs to, from 1
  std::uint32_t wave = 0;   ///< the wave that it answers; 0: none
  termination::MemberReport report;
};
// They throw what nlohmann::json throws where a member is missing or of another type.
Message message_of(const NumberedReport& numbered);
NumberedReport report_of(const Message& message);
Message message_of(const ProcessInfo& info);
ProcessInfo info_of(const Message& message);

enum class BlobKind : std::uint32_t { table, gather, all_gather };

}  // namespace toroid::job
