// The fabric `sim`: the torus in virtual time. It is packet-granular, event-driven and
// deterministic: results follow from shape, machine, options and processors alone, at every
// optimisation level and with every number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/probe.hpp"
#include "router/threads/cpu_account.hpp"

namespace toroid {

class SimCheckpoints;

struct SimProgress {
  Tick now;
  std::uint64_t delivered;
  std::uint64_t resumed_from = 0;  ///< of `delivered`, what a checkpoint had already
};

struct SimOptions {
  RoutingOptions routing{};
  FifoTying tying = FifoTying::per_direction;
  /// Called about every million events by the thread that called run(); may throw to end the run.
  std::function<void(const SimProgress&)> progress{};
  /// Is shown what happens, and must outlive the fabric. Null: there is no probe.
  SimProbe* probe = nullptr;
  /// Number of threads, and of blocks of the torus that they run. Results do not depend on it.
  /// Programs of different blocks run at the same time. See sim_threads().
  unsigned threads = 1;
  /// Where the threads that simulate count their CPU time, the one that calls run() too; outlives
  /// the fabric. Null: nowhere.
  CpuAccount* cpu = nullptr;
  /// Saves the run and resumes it; outlives the fabric. Null: nobody does, and nothing is paid for
  /// the possibility. REQUIRES: there is no probe beside it.
  SimCheckpoints* checkpoints = nullptr;
  /// Nodes have the machine's DMA engine beside their processor. Throws BadInput where the machine
  /// has none.
  bool dma = false;
};

/// A fabric whose time is virtual: Device::now() and FabricCounters::end are cycles of the
/// machine's clock. Throws BadInput if the machine cannot be modelled.
std::unique_ptr<Fabric> make_sim_fabric(const Shape& shape, const Machine& machine,
                                        SimOptions options = {});

/// The number of threads that such a fabric runs with, from 1 to the number of nodes.
unsigned sim_threads(const Shape& shape, const SimOptions& options);

}  // namespace toroid
