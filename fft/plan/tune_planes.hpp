// The fastest number of planes per exchange of the slab method, found by trying.
//
//   const auto time_of = [&](std::shared_ptr<const fft::Blueprint> blueprint) {
//     const auto fabric = make_ring_fabric(shape, machine, options);  // a fresh one for each trial
//     return fft::call_time(*fabric, {}, std::move(blueprint), fft::Way::forward);
//   };
//   const fft::TunedPlanes tuned =
//       fft::tune_planes(description, shape, fft::Way::forward, fft::Blocking::too, time_of);
//   description.overlap.set_planes(fft::Way::forward, tuned.planes);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// The most planes per exchange that tuning tries by default, as the slab paper's does. Where cores
/// copy from each other's memory, longer pieces may be faster.
inline constexpr std::int64_t kMostPlanesTried = 8;

/// Planes per exchange that a slab's blueprint comes to in one direction: those asked for, lowered
/// to a divisor of the planes of the node that has most. 0: the exchange is blocking.
std::int64_t planes_used(const Blueprint& blueprint, Way way);

/// The description with so many planes per exchange in that direction, on the machine. Throws
/// BadInput as Blueprint does.
std::shared_ptr<const Blueprint> with_planes(Description description, const Shape& shape, Way way,
                                             std::int64_t planes);

/// Planes per exchange to try, ascending: the divisors of the planes of the node that has most, at
/// most `most`. None if the exchange cannot be cut. Throws BadInput as Blueprint does.
std::vector<std::int64_t> planes_to_try(const Description& description, const Shape& shape, Way way,
                                        std::int64_t most = kMostPlanesTried);

/// Whether the blocking exchange, 0 planes, is among the candidates.
enum class Blocking : std::uint8_t { too, only_if_nothing_else };

/// The time of a transform from a blueprint, in any unit, less is better. In a job of several
/// processes it must return the same on each.
using TimeOf = std::function<double(std::shared_ptr<const Blueprint>)>;

struct PlanesTrial {
  std::int64_t planes;  ///< per exchange; 0: blocking
  double time;          ///< in the unit of TimeOf
};

struct TunedPlanes {
  std::int64_t planes = 0;            ///< with the least time, the fewest among equals
  std::vector<PlanesTrial> trials{};  ///< in the order of trying
};

/// Times every candidate once, up to `most` planes, and finds the fastest. Throws BadInput as
/// Blueprint does, and what `time_of` throws.
TunedPlanes tune_planes(const Description& description, const Shape& shape, Way way,
                        Blocking blocking, const TimeOf& time_of,
                        std::int64_t most = kMostPlanesTried);

}  // namespace toroid::fft
