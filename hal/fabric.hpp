// What carries packets between nodes: a model in virtual time, rings, or a network.
#pragma once

#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"

namespace toroid {

class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// The nodes that this process runs, ascending: all, but where there are other processes.
  virtual std::vector<Rank> nodes() const;
  /// Of one of nodes(). Lives as long as the fabric.
  virtual Device& device(Rank rank) = 0;
  /// REQUIRES: before run(); the processor outlives it.
  virtual void attach(Rank rank, Processor& processor) = 0;
  /// Once. Runs every processor until all have finished and no packet is under way. Throws
  /// RunFailed with who waits for what where that cannot be reached.
  virtual void run() = 0;
  virtual const FabricCounters& counters() const = 0;
};

}  // namespace toroid
