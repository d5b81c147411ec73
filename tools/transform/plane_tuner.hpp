// The fastest number of planes per exchange of the slab method, found by trying.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"
#include "tools/run/run_options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// What a slab transform is tried on.
struct SlabTrial {
  fft::Description description;
  fft::Way way = fft::Way::forward;
  const Shape& shape;
  const Machine& machine;
  const RunOptions& run;
  std::string on;  ///< a name of fabric, route and machine, for the wisdom
};

/// The blueprint with so many planes per exchange in the trial's direction; 0: blocking.
std::shared_ptr<const fft::Blueprint> blueprint_of(const SlabTrial& trial, std::int64_t planes);
/// Runs it on a fresh machine: several rounds, where their times differ.
Outcome run_trial(const SlabTrial& trial, std::shared_ptr<const fft::Blueprint> blueprint,
                  const HostArray& input);

/// The number of planes with the least median time; `blocking`: 0 counts too. The same on every
/// process. Kept in the process's wisdom, and taken from that of the one that reports.
std::int64_t tuned_planes(const SlabTrial& trial, const HostArray& input, bool blocking);

}  // namespace toroid
