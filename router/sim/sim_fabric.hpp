// The fabric `sim`: the torus in virtual time. It is event-driven and deterministic; its unit is a
// packet. Results follow from shape, machine, options and processors alone, at every optimisation
// level and with any number of threads.
#pragma once

#include <chrono>
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
  std::uint64_t resumed_from = 0;  ///< the part of `delivered` that a checkpoint contained
};

struct SimOptions {
  RoutingOptions routing{};
  FifoLinks tying = FifoTying::per_direction;
  /// Called about every million events by the thread that called run(); may throw to end the run.
  std::function<void(const SimProgress&)> progress{};
  /// Observes the run; must outlive the fabric. Null if nothing observes it.
  SimProbe* probe = nullptr;
  /// Number of threads, and of blocks of the torus. Results do not depend on it. Programs of
  /// different blocks run concurrently. See sim_threads().
  unsigned threads = 1;
  /// A run that takes longer fails with a report of what its nodes do; 0 for no limit. If a node
  /// does not return from its turn, the process ends with exit code 1.
  std::chrono::milliseconds limit{0};
  /// A run in which something would happen in this cycle or later fails in the same way; 0 for no
  /// limit.
  Tick cycles = 0;
  /// The simulating threads, including the caller of run(), add their CPU time to this account,
  /// which must outlive the fabric. Null: their time is not counted.
  CpuAccount* cpu = nullptr;
  /// Saves and resumes the run; must outlive the fabric. If null, there are no checkpoints and no
  /// overhead. REQUIRES: there is no probe.
  SimCheckpoints* checkpoints = nullptr;
  /// If set, each node has a DMA engine beside its processor. Throws BadInput if the machine has
  /// none.
  bool dma = false;
};

/// A fabric whose time is virtual: Device::now() and FabricCounters::end are cycles of the
/// machine's clock. Throws BadInput if the machine cannot be modelled, or if nodes with several
/// ranks have DMA engines or coprocessors, are probed or saved, or have links that may fail.
std::unique_ptr<Fabric> make_sim_fabric(const Shape& shape, const Machine& machine,
                                        SimOptions options = {});

/// The number of threads of a fabric with these options, from 1 to the number of nodes.
unsigned sim_threads(const Shape& shape, const SimOptions& options);

}  // namespace toroid
