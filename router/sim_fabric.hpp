// SimFabric: the torus in virtual time. Packet-granular, event-driven, deterministic: results
// follow from shape, machine, options and the processors alone, at every optimisation level.
#pragma once

#include <functional>
#include <memory>

#include "hal/fabric.hpp"
#include "router/routing.hpp"

namespace toroid {

struct SimProgress {
  Tick now;
  std::uint64_t delivered;
};

struct SimOptions {
  RoutingOptions routing;
  FifoTying tying = FifoTying::per_direction;
  /// Called now and then while running; may throw to end the run. None: never called.
  std::function<void(const SimProgress&)> progress;
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

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toroid
