#include "hal/tick.hpp"

#include <fmt/core.h>

#include <cmath>

#include "hal/check.hpp"

namespace toroid {

Tick whole_cycles(double cycles, std::string_view what) {
  if (!(cycles <= static_cast<double>(kLastTick)))
    throw BadInput(fmt::format("{} takes {:.3g} cycles, more than the limit of virtual time, 2^62",
                               what, cycles));
  const double nearest = std::round(cycles);
  const bool is_whole = std::abs(cycles - nearest) <= 0x1p-50 * cycles;
  return static_cast<Tick>(is_whole ? nearest : std::ceil(cycles));
}

}  // namespace toroid
