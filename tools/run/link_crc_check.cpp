#include "tools/run/link_crc_check.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

#include "hal/check.hpp"
#include "hal/direction.hpp"

namespace toroid {

std::vector<std::string> unsound_links(const FabricCounters& counters, const Shape& shape) {
  constexpr std::size_t kMostNamed = 16;
  const auto& health = counters.health;
  const unsigned degree = shape.links();
  std::vector<std::string> names;
  for (std::size_t l = 0; l < health.size() && names.size() < kMostNamed; ++l)
    if (health[l].sent_crc != health[l].received_crc)
      names.push_back(shape.torus().coord_text(static_cast<Rank>(l / degree)) +
                      Direction{static_cast<std::uint8_t>(l % degree)}.name());
  return names;
}

void check_links(const FabricCounters& counters, const Shape& shape) {
  const std::uint64_t count = counters.link_errors.crc_mismatches;
  if (count == 0) return;
  const std::vector<std::string> names = unsound_links(counters, shape);
  throw RunFailed(fmt::format(
      "{} link{} passed on damaged packets undetected: the CRCs of both ends differ{}", count,
      count == 1 ? "" : "s", names.empty() ? "" : ", the first at " + names.front()));
}

}  // namespace toroid
