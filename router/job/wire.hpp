// The format of what goes over a job's connections: frames of a type, a length and a payload, all
// little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

using Bytes = std::span<const std::byte>;

enum class Type : std::uint32_t {
  challenge = 1,  ///< the first frame of process 0; see proof.hpp
  hello,
  welcome,
  refusal,    ///< why process 0 does not admit a process that holds the key, a text
  info,       ///< ProcessInfo of the sender
  heartbeat,  ///< a sign of life, without payload
  ping,
  pong,
  blob,     ///< BlobHead of a blob whose bytes follow in chunks
  chunk,    ///< the next bytes of the blob
  report,   ///< NumberedReport
  wave,     ///< asks for a report of the present state
  verdict,  ///< process 0 says how the watched run has ended
  failure,  ///< why the job has failed, a text
  goodbye,  ///< the sender leaves the job in order: its last frame
  loss      ///< a process is lost and the run goes on without it: its rank, and why, a text
};

inline constexpr std::size_t kFrameHead = 8;      ///< bytes: type, length
inline constexpr std::size_t kChunk = 256 << 10;  ///< bytes
inline constexpr std::size_t kMaxFrame = kChunk;  ///< bytes of the longest payload
/// Bytes of the longest payload before the other end has proved that it holds the key.
inline constexpr std::size_t kMaxStrangersFrame = 1024;

/// What arrived is not what this version sends.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Builds a payload of values.
class Writer {
 public:
  Writer() = default;
  /// `expected`: bytes to reserve.
  explicit Writer(std::size_t expected) { bytes_.reserve(expected); }

  template <typename T>
  Writer& put(T value) {
    static_assert(std::is_unsigned_v<T>);
    for (unsigned i = 0; i < sizeof value; ++i) bytes_.push_back(std::byte(value >> 8 * i));
    return *this;
  }
  Writer& put_bytes(Bytes bytes);
  /// Its length and at most 64 KiB of it.
  Writer& put_text(const std::string& text);
  const Blob& bytes() const { return bytes_; }
  Blob release() { return std::move(bytes_); }

 private:
  Blob bytes_;
};

/// Reads the values of a payload. Throws Malformed if it is too short, or too long at the end().
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    const Bytes bytes = get_bytes(sizeof value);
    for (unsigned i = 0; i < sizeof value; ++i)
      value = static_cast<T>(value | std::to_integer<T>(bytes[i]) << 8 * i);
    return value;
  }
  Bytes get_bytes(std::size_t count);
  std::string get_text();
  void end() const;

 private:
  Bytes bytes_;
};

/// A whole frame. REQUIRES: the payload has at most kMaxFrame bytes.
Blob frame(Type type, Bytes payload = {});

Blob encode(const ProcessInfo& info);
ProcessInfo decode_info(Reader& reader);

struct NumberedReport {
  std::uint32_t watch = 0;  ///< number of the watched run that the report belongs to, from 1
  std::uint32_t wave = 0;   ///< the wave that it answers; 0: none
  termination::MemberReport report;
};
Blob encode(const NumberedReport& report);
NumberedReport decode_report(Bytes payload);

enum class BlobKind : std::uint32_t { table, gather, all_gather };

struct BlobHead {
  BlobKind kind = BlobKind::table;
  std::uint32_t rank = 0;      ///< process that the bytes come from
  std::uint64_t sequence = 0;  ///< number of the collective, from 1
  std::uint64_t size = 0;      ///< bytes
};
Blob encode(const BlobHead& head);
BlobHead decode_blob_head(Bytes payload);

}  // namespace toroid::job
