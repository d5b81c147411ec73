// The benchmarks of messages by their names, and the sizes that each goes through.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toroid {

enum class BenchKind : std::uint8_t { latency, bw, bibw, rate, alltoall, idle };
inline constexpr std::array<std::string_view, 6> kBenchKindNames = {"latency", "bw",       "bibw",
                                                                    "rate",    "alltoall", "idle"};

/// Whether its messages go in windows, each of which waits for the one before.
constexpr bool has_window(BenchKind kind) {
  return kind == BenchKind::bw || kind == BenchKind::bibw;
}
/// Whether its figure is bytes a second.
constexpr bool is_bandwidth(BenchKind kind) {
  return has_window(kind) || kind == BenchKind::rate;
}

/// Bytes of a message; of `alltoall` those of a pair of nodes.
struct MessageSizes {
  std::uint64_t min;
  std::uint64_t max;
};

/// The sizes where the user does not say; without meaning for `idle`, which moves nothing.
MessageSizes default_sizes(BenchKind kind);

/// Reads "min:max", "min:" or "max", as OSU's benchmarks take it; what is left out is `usual`.
/// Sizes may have units, as 4KiB. Throws BadInput where the text is none of these, or the minimum
/// is above the maximum.
MessageSizes parse_message_sizes(std::string_view text, const MessageSizes& usual);

/// The sizes from the minimum up to the maximum, each twice the one before; 1 follows 0.
std::vector<std::uint64_t> doubled(const MessageSizes& sizes);

}  // namespace toroid
