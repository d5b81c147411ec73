// The fabric `ofi`: the torus spread over processes, on one host or many. Each process owns a block
// of nodes, which its worker threads run; packets between processes travel in frames over one
// libfabric endpoint per process. Time is the wall clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid {

struct OfiOptions {
  RingOptions ring{};  ///< for the rings within a process; `route` also applies between processes
  std::string provider{};  ///< libfabric provider; if empty, the best that all processes have
  FrameWay frames = FrameWay::automatic;
  /// Effect of losing a process during the run. OnLoss::go_on needs the direct route, links that
  /// are not checked, and messages in packets. Then programs of the other processes may wait for
  /// the lost process until the run ends; this is not a failure. After the run Job::losses() lists
  /// the lost processes.
  OnLoss on_loss = OnLoss::fail;
  /// Whether to accept a provider over which strangers on the network can end the run: udp;ofi_rxd,
  /// sockets.
  bool unsafe_provider = false;
  /// Time without an acknowledgement after which this process suspects another process. The job
  /// fails if the suspicion lasts for JobOptions::persistence while the suspect's workers complete
  /// rounds of their loops.
  std::chrono::milliseconds suspect_after{3000};
};

/// The transport of packets between processes that the processes have agreed on.
struct OfiTransport {
  std::string provider;                  ///< libfabric provider
  FrameWay frames = FrameWay::messages;  ///< messages or writes, never automatic
  std::size_t bytes_per_peer = 0;        ///< memory for frames, per peer
};

/// Makes a fabric of the torus's nodes that this process owns. All processes of a job make and run
/// their fabrics in the same order, with the same arguments; if another process passes a different
/// shape, machine or option, this throws BadInput, which names the difference. Only the placement
/// differs: it must be for this process's nodes. The fabric keeps a handle of the job. If
/// `transport` is not null, writes to it what the processes have agreed on. On process 0 the
/// counters cover all nodes; on other processes they cover the process's own nodes and are 0 for
/// all others. Throws BadInput if the machine cannot be emulated or the provider cannot be used,
/// RunFailed if another process fails.
std::unique_ptr<Fabric> make_ofi_fabric(Job& job, const Shape& shape, const Machine& machine,
                                        Placement placement, OfiOptions options = {},
                                        OfiTransport* transport = nullptr);
/// The same with a placement of its own: on this process's share of the host's cores, with one
/// worker per core.
std::unique_ptr<Fabric> make_ofi_fabric(Job& job, const Shape& shape, const Machine& machine,
                                        OfiOptions options = {}, OfiTransport* transport = nullptr);
/// The same on the job that join_job() joins.
std::unique_ptr<Fabric> make_ofi_fabric(const Shape& shape, const Machine& machine,
                                        OfiOptions options = {}, OfiTransport* transport = nullptr);

}  // namespace toroid
