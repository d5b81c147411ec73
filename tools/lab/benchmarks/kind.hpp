// The names of the message benchmarks and the message sizes of each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toroid {

enum class BenchKind : std::uint8_t { latency, bw, bibw, rate, alltoall, idle };
inline constexpr std::array<std::string_view, 6> kBenchKindNames = {"latency", "bw",       "bibw",
                                                                    "rate",    "alltoall", "idle"};

/// Whether messages are sent in windows, each of which waits for the previous one.
constexpr bool has_window(BenchKind kind) {
  return kind == BenchKind::bw || kind == BenchKind::bibw;
}
/// Whether the result is a bandwidth, in bytes per second.
constexpr bool is_bandwidth(BenchKind kind) {
  return has_window(kind) || kind == BenchKind::rate;
}

/// Range of message sizes in bytes; for `alltoall`, bytes per pair of nodes.
struct MessageSizes {
  std::uint64_t min;
  std::uint64_t max;
};

/// Default sizes. Not used for `idle`, which sends nothing.
MessageSizes default_sizes(BenchKind kind);

/// Reads "min:max", "min:" or "max" as the OSU benchmarks do; a missing end is taken from `usual`,
/// but the range has at least the size that is given. Sizes may have units, e.g. 4KiB. Throws
/// BadInput if the text has another form or the minimum is above the maximum.
MessageSizes parse_message_sizes(std::string_view text, const MessageSizes& usual);

/// The sizes from minimum to maximum, each twice the previous one; 1 follows 0.
std::vector<std::uint64_t> doubled(const MessageSizes& sizes);

}  // namespace toroid
