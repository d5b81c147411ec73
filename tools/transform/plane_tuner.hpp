// Finds the fastest number of planes per exchange of the slab method by trying.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"
#include "tools/run/run_options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// The slab transform to try, and the machine and options with which to run it.
struct SlabTrial {
  fft::Description description;
  fft::Way way = fft::Way::forward;
  const Shape& shape;
  const Machine& machine;
  const RunOptions& run;
  std::string on;  ///< name of fabric, route and machine in the wisdom
};

/// The blueprint with `planes` planes per exchange in the trial's direction. With 0 the exchange is
/// blocking.
std::shared_ptr<const fft::Blueprint> blueprint_of(const SlabTrial& trial, std::int64_t planes);
/// Runs the blueprint on a fresh machine: once in virtual time, otherwise several times.
Outcome run_trial(const SlabTrial& trial, std::shared_ptr<const fft::Blueprint> blueprint,
                  const HostArray& input);

/// Returns the number of planes with the least median time. If `blocking` is set, 0 (a blocking
/// exchange) is tried too. All processes return the same number and add it to their wisdom. Only
/// the reporting process's wisdom is read.
std::int64_t tuned_planes(const SlabTrial& trial, const HostArray& input, bool blocking);

}  // namespace toroid
