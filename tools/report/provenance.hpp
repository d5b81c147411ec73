// The origin of a result: command line and date, which are not part of its hash, and the hash
// itself.
#pragma once

#include <fmt/core.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// A hash of everything that is added, in order. It is equal on all machines, because the bits of
/// numbers are added, not their texts.
class ResultHash {
 public:
  void add(std::uint64_t word) { state_ = mix64(state_ * 3 + word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::span<const std::complex<double>> values) {
    for (const auto& value : values) {
      add(value.real());
      add(value.imag());
    }
  }
  void add(std::string_view words) {
    for (const char c : words) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0;
};

/// The arguments of this process as typed, program first; empty without /proc.
std::vector<std::string> typed_arguments();

struct Provenance {
  std::string command;  ///< of this process, shell-quoted
  std::string date;     ///< UTC, ISO 8601: 2026-11-22T10:30:05Z
};
/// The provenance of this process. The first call sets the date, so the code of every output calls
/// this before the run.
const Provenance& provenance();

/// Adds `command` and `date` to a result after its keys verb, version and git_hash. This is done
/// when the result is written, after its hash was computed.
Json with_provenance(const Json& result);

}  // namespace toroid
