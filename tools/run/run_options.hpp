// The options of a run, converted from the command line.
#pragma once

#include <memory>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "router/termination/time_limit.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/processes.hpp"

namespace toroid {

/// The options of a run. `sim` has the options of that fabric, `ring` those of all other fabrics,
/// `processes` and `frames` those of `ofi`.
struct RunOptions {
  FabricName fabric = FabricName::sim;
  NodeOptions node{};
  SimOptions sim{};
  RingOptions ring{};
  unsigned threads = 0;
  Binding binding = Binding::core;
  Processes processes{};
  FrameOptions frames{};
};

/// Converts the command line's options. On `ofi` it joins the run's other processes.
RunOptions run_options(const CommonOptions& common, const TorusOptions& torus,
                       const Machine& machine);
/// Ends the process with a message if the run's limit passes before the result is destroyed,
/// because a function of this policy does not return. Null if the policy is not of a library or is
/// null.
std::unique_ptr<termination::TimeLimit> preparation_limit(const RunOptions& run,
                                                          const Policy* policy);
/// Returns the run with `transfer` as the way in which messages move.
RunOptions moving_by(TransferMode transfer, RunOptions run);
/// The number of threads of a run on `sim`. Results do not depend on it.
unsigned sim_threads(const Shape& shape, const RunOptions& options);
/// The workers of this process. On `ofi` all processes call it in the same order.
Placement placement_of(const Shape& shape, const RunOptions& options);

}  // namespace toroid
