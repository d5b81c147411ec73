#include "fft/plan/tune_planes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "fft/plan/check_description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"

namespace toroid::fft {

std::int64_t planes_used(const Blueprint& blueprint, Way way) {
  // Exchanges from or to user boxes are not cut.
  for (std::size_t i = 0; i < blueprint.exchanges().size(); ++i)
    if (const std::int64_t planes = blueprint.pieces(i, way).planes; planes > 0) return planes;
  return 0;
}

std::shared_ptr<const Blueprint> with_planes(Description description, const Shape& shape, Way way,
                                             std::int64_t planes) {
  description.overlap.set_planes(way, planes);
  return std::make_shared<const Blueprint>(description, shape);
}

std::vector<std::int64_t> planes_to_try(const Description& description, const Shape& shape, Way way,
                                        std::int64_t most) {
  if (most < 1) throw BadInput(fmt::format("at most {} planes to try; expected 1 or more", most));
  check_choice("way", way, kWayNames);
  const std::int64_t whole = std::ranges::max(in_extents(description));
  const std::int64_t own = planes_used(*with_planes(description, shape, way, whole), way);
  std::vector<std::int64_t> planes;
  for (std::int64_t wanted = 1; wanted <= std::min(own, most); ++wanted)
    if (own % wanted == 0) planes.push_back(wanted);
  return planes;
}

TunedPlanes tune_planes(const Description& description, const Shape& shape, Way way,
                        Blocking blocking, const TimeOf& time_of, std::int64_t most) {
  if (!time_of) throw BadInput("time_of is empty; expected a function that times a plan");
  std::vector<std::int64_t> candidates = planes_to_try(description, shape, way, most);
  if (blocking == Blocking::too || candidates.empty()) candidates.insert(candidates.begin(), 0);
  TunedPlanes tuned;
  for (const std::int64_t planes : candidates)
    tuned.trials.push_back({planes, time_of(with_planes(description, shape, way, planes))});
  tuned.planes = std::ranges::min_element(tuned.trials, {}, &PlanesTrial::time)->planes;
  return tuned;
}

}  // namespace toroid::fft
