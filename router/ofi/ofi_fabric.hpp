// The fabric `ofi`: the torus spread over processes, on one host or many. Each process owns a block
// of nodes, which its worker threads run; packets between processes travel in frames over one
// libfabric endpoint each. Time is the wall clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/ofi/frame_way.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid {

struct OfiOptions {
  RingOptions ring;      ///< as within a process; `route` holds between processes too
  std::string provider;  ///< of libfabric; empty: the best that all processes have
  FrameWay frames = FrameWay::automatic;
  /// What a loss in the run does. OnLoss::go_on takes the direct route, links that are not checked,
  /// and messages in packets; the programs of the others may wait for ever in vain, which is no
  /// failure then. After the run Job::losses() says who was lost.
  OnLoss on_loss = OnLoss::fail;
  /// Whether `provider` may be one that strangers on the network can end: udp;ofi_rxd, sockets.
  bool unsafe_provider = false;
  /// Time without an acknowledgement after which this process suspects another one. One that has
  /// been suspected for JobOptions::persistence is lost.
  std::chrono::milliseconds suspect_after{3000};
};

/// What carries the packets between processes.
struct OfiTransport {
  std::string provider;                  ///< of libfabric, that carries the frames
  FrameWay frames = FrameWay::messages;  ///< what all can do: never automatic
  std::size_t bytes_per_peer = 0;        ///< of frames, kept for each process that packets go to
};

/// A fabric of the torus's nodes that this process owns. All processes of a job make and run it in
/// the same order, with the same arguments but for the placement, which must be of this process's
/// nodes. `job` outlives it. Writes to `transport`, if any, what the processes have agreed on. Its
/// counters are those of all nodes on process 0; elsewhere only those of the process's own nodes
/// are not 0. Throws BadInput if the machine cannot be emulated or the provider cannot be used,
/// RunFailed if another process fails.
std::unique_ptr<Fabric> make_ofi_fabric(Job& job, const Shape& shape, const Machine& machine,
                                        Placement placement, OfiOptions options = {},
                                        OfiTransport* transport = nullptr);

}  // namespace toroid
