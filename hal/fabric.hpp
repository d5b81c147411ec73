// A fabric carries packets between nodes. It is a model in virtual time, rings in memory, or a
// network.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// A machine that runs a processor on each of its nodes. Protocol: attach() a processor to every
/// one of nodes(), then run() once, then read counters(). One thread makes these calls; the fabric
/// chooses the threads that run the processors.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// The nodes that this process runs, ascending; all nodes unless other processes run some of
  /// them.
  virtual std::vector<Rank> nodes() const {
    std::vector<Rank> all(shape().size());
    std::iota(all.begin(), all.end(), Rank{0});
    return all;
  }
  /// The device of a node; it lives as long as the fabric. REQUIRES: `rank` is one of nodes().
  virtual Device& device(Rank rank) = 0;
  /// REQUIRES: called before run(); the processor outlives the run.
  virtual void attach(Rank rank, Processor& processor) = 0;
  /// Runs every processor until all have finished and no packet is in flight. Throws RunFailed,
  /// which reports who waits for what, if that state cannot be reached; std::bad_alloc if memory
  /// does not suffice for such a report. REQUIRES: called once.
  virtual void run() = 0;
  virtual const FabricCounters& counters() const = 0;
  /// The processors are about to be destroyed: run() may not be called from now on.
  virtual void detach() {}
  /// Expires when the fabric is destroyed.
  std::weak_ptr<const void> life() const { return life_; }

 private:
  std::shared_ptr<const void> life_ = std::make_shared<char>();
};

}  // namespace toroid
