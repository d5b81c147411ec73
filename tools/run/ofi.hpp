// The commands' interface to `ofi`, the fabric between processes. It is implemented by ofi.cpp or,
// with -DTOROID_OFI=OFF, by no_ofi.cpp, which does not use libfabric and refuses `ofi`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/run/processes.hpp"

namespace toroid {

/// Whether this build has the fabric `ofi`.
bool has_ofi();

/// A libfabric provider on this host.
struct ProviderState {
  std::string name;
  bool usable = false;
  bool writes = false;  ///< it can write frames into other processes' memory
  bool reads = false;   ///< it can read puts from other processes' memory
  std::string reason;   ///< why it is not usable, or what it is for
};

/// The library and its providers as `ofi` would find them on this host.
struct OfiHere {
  std::string library;                   ///< "libfabric 1.17", or why it is missing
  std::vector<ProviderState> providers;  ///< the best first
};
OfiHere ofi_here();

/// Why a provider needs --unsafe-provider; empty if it does not.
std::string_view why_unsafe_provider(std::string_view name);

/// The requested transport of frames between processes.
struct FrameOptions {
  std::string provider{};  ///< name of a libfabric provider; empty: the best one
  FrameWay way = FrameWay::automatic;
  bool unsafe_provider = false;  ///< allows providers through which strangers can end a run
  bool goes_on = false;          ///< whether the run continues without lost processes
};

/// The fabric of this process.
struct OfiEmulation {
  std::unique_ptr<Fabric> fabric;
  std::string provider;  ///< name of the provider that carries the frames
  FrameWay frames = FrameWay::messages;
  std::size_t bytes_per_peer = 0;  ///< size of the frame buffers for each peer process
};

/// Makes the fabric. All processes call it with the same arguments except the placement. Throws
/// like the router's make_ofi_fabric(). REQUIRES: `processes` have joined and outlive the fabric.
OfiEmulation make_ofi_fabric(const Processes& processes, const Shape& shape, const Machine& machine,
                             Placement placement, RingOptions ring, const FrameOptions& frames);

/// A process that died while the run continued.
struct LostProcess {
  unsigned rank = 0;
  std::string why;  ///< the reason, including the process's name
  std::vector<Rank> nodes;
};
/// The lost processes of the run, in the order in which they were lost. REQUIRES: `processes` have
/// joined.
std::vector<LostProcess> lost_processes(const Processes& processes, const Shape& shape);
/// The number of the process that has each node, by node. REQUIRES: `processes` have joined.
std::vector<unsigned> processes_of_nodes(const Processes& processes, const Shape& shape);

/// The workers of this process on its share of the host's cores. All processes call it in the same
/// order. `threads`: 0 means one per core of the share. REQUIRES: `processes` have joined.
Placement place_beside_others(const Processes& processes, HostTopology topology, const Shape& shape,
                              unsigned threads, Binding binding);

}  // namespace toroid
