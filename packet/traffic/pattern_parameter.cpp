#include "packet/traffic/pattern_parameter.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstddef>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"

namespace toroid {

void TrafficRequest::refuse(const std::string& why) const {
  throw BadInput(one_line(fmt::format("traffic '{}': {}", whole, why)));
}

unsigned TrafficRequest::dimensions(unsigned otherwise) const {
  const std::string known = shape.dim_names();
  unsigned bits = 0;
  for (const char letter : parameter) {
    const std::size_t d = known.find(letter);
    if (d == known.npos || (bits >> d & 1u) != 0)
      refuse(fmt::format(
          "expected some of the dimensions {1} of {0} after the colon, each at most once",
          shape.text(), known));
    bits |= 1u << d;
  }
  return parameter.empty() ? otherwise : bits;
}

unsigned TrafficRequest::dimensions(unsigned otherwise, unsigned count) const {
  const unsigned bits = dimensions(otherwise);
  if (shape.dims() < count)
    refuse(fmt::format("needs {} dimensions; {} has {}", count, shape.text(), shape.dims()));
  if (static_cast<unsigned>(std::popcount(bits)) != count)
    refuse(
        fmt::format("expected {} of the dimensions {} after the colon", count, shape.dim_names()));
  return bits;
}

double TrafficRequest::number(double otherwise, double min, double max) const {
  if (parameter.empty()) return otherwise;
  const auto value = parse_number<double>(parameter);
  if (!value || !(*value >= min && *value <= max))
    refuse(fmt::format("expected a number from {} to {} after the colon", min, max));
  return *value;
}

std::uint64_t TrafficRequest::whole_number(std::uint64_t otherwise, std::uint64_t min,
                                           std::uint64_t max) const {
  if (parameter.empty()) return otherwise;
  const auto value = parse_number<std::uint64_t>(parameter);
  if (!value || *value < min || *value > max)
    refuse(fmt::format("expected a whole number from {} to {} after the colon", min, max));
  return *value;
}

}  // namespace toroid
