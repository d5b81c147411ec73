// The built-in patterns of traffic, by name.
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
  std::string_view parameter;   ///< after a colon; in brackets if optional; empty if there is none
  std::string_view definition;  ///< one line
  std::string_view source;      ///< where the pattern comes from
};
std::span<const TrafficInfo> traffic_names();

/// `name` with its parameter: "all-to-all", "lines:X", "zipf:1.2". `bytes` is the length of each
/// message, or the mean length if the pattern sends unequal messages. `seed` is for patterns that
/// are drawn at random. Throws BadInput, which lists the names, says what parameter is expected, or
/// names the nearest machine on which the pattern is defined.
std::unique_ptr<Traffic> make_traffic(std::string_view name, const Shape& shape,
                                      std::uint64_t bytes, std::uint64_t seed);

}  // namespace toroid
