// OfiFabric: the torus spread over processes, on one host or many. Each process owns a block of
// nodes, which its worker threads run; packets between processes travel in frames over one
// libfabric endpoint each. Time is the wall clock.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid {

struct OfiOptions {
  RingOptions ring;      ///< as within a process; `route` holds between processes too
  std::string provider;  ///< of libfabric; empty: the best that all processes have
};

/// All processes of a job construct and run it in the same order, with the same arguments but for
/// the placement.
class OfiFabric final : public Fabric {
 public:
  /// `job` outlives it. `placement` must be of this process's nodes. Throws BadInput where the
  /// machine cannot be emulated or the provider is not to be had, RunFailed where others fail.
  OfiFabric(Job& job, const Shape& shape, const Machine& machine, Placement placement,
            OfiOptions options = {});
  ~OfiFabric() override;

  const Shape& shape() const override;
  const Machine& machine() const override;
  std::vector<Rank> nodes() const override;
  Device& device(Rank rank) override;
  void attach(Rank rank, Processor& processor) override;
  void run() override;
  /// On process 0 those of all nodes, elsewhere of its own only; the others are 0.
  const FabricCounters& counters() const override;
  /// The provider that carries the frames.
  const std::string& provider() const;
  /// Bytes of frames that a process keeps for each process that it exchanges packets with.
  std::size_t bytes_per_peer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toroid
