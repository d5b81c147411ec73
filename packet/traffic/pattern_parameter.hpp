// The parameter after the colon of a traffic's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hal/shape.hpp"

namespace toroid {

/// Everything that a pattern is made from: its name as typed, the shape, the bytes and the seed.
struct TrafficRequest {
  std::string_view whole;      ///< as typed
  std::string_view parameter;  ///< empty if none was given
  const Shape& shape;
  std::uint64_t bytes;
  std::uint64_t seed;

  std::string name() const { return std::string(whole); }
  /// Throws BadInput with the traffic's name and the reason.
  [[noreturn]] void refuse(const std::string& why) const;

  /// The dimensions of the shape that the parameter names by letters, as bits. Returns `otherwise`
  /// if the parameter is empty.
  unsigned dimensions(unsigned otherwise) const;
  /// The same, but refuses a parameter that does not name exactly `count` dimensions.
  unsigned dimensions(unsigned otherwise, unsigned count) const;
  double number(double otherwise, double min, double max) const;
  std::uint64_t whole_number(std::uint64_t otherwise, std::uint64_t min, std::uint64_t max) const;
};

}  // namespace toroid
