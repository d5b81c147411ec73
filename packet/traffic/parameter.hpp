// What stands after the colon of a traffic's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hal/shape.hpp"

namespace toroid {

/// Everything that a pattern is made from.
struct TrafficRequest {
  std::string_view whole;      ///< as typed
  std::string_view parameter;  ///< empty: none was given
  const Shape& shape;
  std::uint64_t bytes;
  std::uint64_t seed;

  std::string name() const { return std::string(whole); }
  /// Throws BadInput: this traffic, and why not.
  [[noreturn]] void refuse(const std::string& why) const;

  /// Different dimensions of the shape by their letters, as bits; `otherwise` where none are given.
  unsigned dimensions(unsigned otherwise) const;
  /// Likewise, exactly `count` of them.
  unsigned dimensions(unsigned otherwise, unsigned count) const;
  double number(double otherwise, double min, double max) const;
  std::uint64_t whole_number(std::uint64_t otherwise, std::uint64_t min, std::uint64_t max) const;
};

}  // namespace toroid
