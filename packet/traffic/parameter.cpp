#include "packet/traffic/parameter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>

#include "hal/check.hpp"
#include "hal/direction.hpp"

namespace toroid {

void TrafficRequest::refuse(const std::string& why) const {
  throw BadInput(one_line(fmt::format("traffic '{}': {}", whole, why)));
}

unsigned TrafficRequest::dimensions(unsigned otherwise) const {
  unsigned bits = 0;
  for (const char letter : parameter) {
    const auto* const begin = kDimNames.begin();
    const auto d = static_cast<unsigned>(std::find(begin, kDimNames.end(), letter) - begin);
    const std::string_view known(kDimNames.data(), shape.dims());
    if (d >= shape.dims() || (bits >> d & 1u) != 0)
      refuse(fmt::format("expected dimensions of {} after the colon, each at most once, of {}",
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
    refuse(fmt::format("expected {} of the dimensions {} after the colon", count,
                       std::string_view(kDimNames.data(), shape.dims())));
  return bits;
}

double TrafficRequest::number(double otherwise, double min, double max) const {
  if (parameter.empty()) return otherwise;
  double value = 0;
  const char* const end = parameter.data() + parameter.size();
  const auto [read, error] = std::from_chars(parameter.data(), end, value);
  if (error != std::errc() || read != end || !(value >= min && value <= max))
    refuse(fmt::format("expected a number from {} to {} after the colon", min, max));
  return value;
}

std::uint64_t TrafficRequest::whole_number(std::uint64_t otherwise, std::uint64_t min,
                                           std::uint64_t max) const {
  if (parameter.empty()) return otherwise;
  std::uint64_t value = 0;
  const char* const end = parameter.data() + parameter.size();
  const auto [read, error] = std::from_chars(parameter.data(), end, value);
  if (error != std::errc() || read != end || value < min || value > max)
    refuse(fmt::format("expected a whole number from {} to {} after the colon", min, max));
  return value;
}

}  // namespace toroid
