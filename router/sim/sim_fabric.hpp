// SimFabric: the torus in virtual time. Packet-granular, event-driven, deterministic: results
// follow from shape, machine, options and the processors alone, at every optimisation level.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/probe.hpp"

namespace toroid {

struct SimProgress {
  Tick now;
  std::uint64_t delivered;
};

struct SimOptions {
  RoutingOptions routing{};
  FifoTying tying = FifoTying::per_direction;
  /// Called now and then by the thread that runs it; may throw to end the run. None: never called.
  std::function<void(const SimProgress&)> progress{};
  /// Is shown what happens; must outlive the fabric. Null: nobody looks.
  SimProbe* probe = nullptr;
  /// Each goes through a block of the torus. Results do not depend on it. Programs of different
  /// blocks run at the same time. No more than there are nodes; one where there is a probe.
  unsigned threads = 1;
};

class SimFabric final : public Fabric {
 public:
  /// Throws BadInput where the machine cannot be modelled.
  SimFabric(const Shape& shape, const Machine& machine, SimOptions options = {});
  ~SimFabric() override;

  const Shape& shape() const override;
  const Machine& machine() const override;
  Device& device(Rank rank) override;
  void attach(Rank rank, Processor& processor) override;
  void run() override;
  const FabricCounters& counters() const override;
  /// As many as it runs with.
  unsigned threads() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toroid
