// The patterns of traffic that come with the project, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// A pattern as users type it, with its meaning.
struct TrafficInfo {
  std::string_view name;
  std::string_view parameter;   ///< after a colon; in brackets: it may be left out; empty: none
  std::string_view definition;  ///< a line
  std::string_view source;      ///< where the pattern comes from
};
std::span<const TrafficInfo> traffic_names();

/// `name` with its parameter: "all-to-all", "lines:X", "zipf:1.2". `bytes` per message; where a
/// pattern sends unequal messages, on average. `seed` is of the patterns that are drawn. Throws
/// BadInput that lists the names, says what was expected of the parameter, or names the nearest
/// machine that a pattern can be defined on.
std::unique_ptr<Traffic> make_traffic(std::string_view name, const Shape& shape,
                                      std::uint64_t bytes, std::uint64_t seed);

}  // namespace toroid
