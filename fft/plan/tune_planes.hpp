// Finds the fastest number of planes per exchange of the slab method by trying several numbers.
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

/// Largest number of planes per exchange that tuning tries by default, as in the slab paper. Longer
/// pieces may be faster if cores copy from each other's memory.
inline constexpr std::int64_t kMostPlanesTried = 8;

/// Planes per exchange that a slab's blueprint uses in one direction: the number asked for, lowered
/// to a divisor of the largest number of planes that a node has. 0 if the exchange is blocking.
std::int64_t planes_used(const Blueprint& blueprint, Way way);

/// A blueprint of the description with `planes` planes per exchange in that direction, on the
/// machine. Throws BadInput as Blueprint does.
std::shared_ptr<const Blueprint> with_planes(Description description, const Shape& shape, Way way,
                                             std::int64_t planes);

/// Planes per exchange to try, ascending: the divisors, up to `most`, of the largest number of
/// planes that a node has. Empty if the exchange cannot be cut. Throws BadInput as Blueprint does,
/// and if `most` is below 1.
std::vector<std::int64_t> planes_to_try(const Description& description, const Shape& shape, Way way,
                                        std::int64_t most = kMostPlanesTried);

/// Whether the blocking exchange (0 planes) is tried too, or only if the exchange cannot be cut.
enum class Blocking : std::uint8_t { too, only_if_nothing_else };

/// The time of a transform from a blueprint, in any unit; less is better. In a job of several
/// processes it must return the same value on each.
using TimeOf = std::function<double(std::shared_ptr<const Blueprint>)>;

struct PlanesTrial {
  std::int64_t planes;  ///< number of planes per exchange; 0 if it is blocking
  double time;          ///< measured time, in the unit of TimeOf
};

struct TunedPlanes {
  std::int64_t planes = 0;            ///< the smallest of the fastest numbers
  std::vector<PlanesTrial> trials{};  ///< in the order in which they were tried
};

/// Times every candidate of up to `most` planes once, and finds the fastest. Throws BadInput as
/// planes_to_try() does, and if `time_of` is empty; passes on what `time_of` throws.
TunedPlanes tune_planes(const Description& description, const Shape& shape, Way way,
                        Blocking blocking, const TimeOf& time_of,
                        std::int64_t most = kMostPlanesTried);

}  // namespace toroid::fft
