// What carries packets between nodes: a model in virtual time, rings in memory, or a network.
#pragma once

#include <numeric>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// A machine whose nodes can be given processors, and that runs them. Protocol: attach() a
/// processor to every one of nodes(), then run() once, then read counters(). One thread makes these
/// calls; which threads run the processors is the fabric's choice.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// The nodes that this process runs, ascending: all nodes unless other processes run some.
  virtual std::vector<Rank> nodes() const {
    std::vector<Rank> all(shape().size());
    std::iota(all.begin(), all.end(), Rank{0});
    return all;
  }
  /// The device of a node, which lives as long as the fabric. REQUIRES: one of nodes().
  virtual Device& device(Rank rank) = 0;
  /// REQUIRES: before run(); the processor outlives it.
  virtual void attach(Rank rank, Processor& processor) = 0;
  /// Runs every processor until all have finished and no packet is under way. Throws RunFailed,
  /// which says who waits for what, if that cannot be reached. REQUIRES: called once.
  virtual void run() = 0;
  virtual const FabricCounters& counters() const = 0;
};

}  // namespace toroid
