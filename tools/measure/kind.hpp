// The benchmarks of messages, by their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

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

}  // namespace toroid
