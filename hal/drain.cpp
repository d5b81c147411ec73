#include "hal/drain.hpp"

namespace toroid {

std::optional<unsigned> least_full(std::span<const InjectionFifo> fifos, DirectionSet possible,
                                   unsigned chunks) {
  std::optional<unsigned> best;
  for (unsigned f = 0; f < fifos.size(); ++f) {
    if (!fifos[f].directions.meets(possible) || !fifos[f].has_room(chunks)) continue;
    if (!best || fifos[f].used < fifos[*best].used) best = f;
  }
  return best;
}

}  // namespace toroid
