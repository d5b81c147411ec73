// What commands use of `ofi`, the fabric between processes. A build has one of two sources: ofi.cpp
// or, with -DTOROID_OFI=OFF, no_ofi.cpp, which knows no libfabric and refuses.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame_way.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/run/processes.hpp"

namespace toroid {

/// Whether this build has the fabric `ofi`.
bool has_ofi();

/// A provider of libfabric on this host.
struct ProviderState {
  std::string name;
  bool usable = false;
  bool writes = false;  ///< it can write frames into other processes' memory
  bool reads = false;   ///< it can read puts from other processes' memory
  std::string reason;   ///< why it is not usable; else what it is for
};

/// The library and its providers as `ofi` would find them on this host.
struct OfiHere {
  std::string library;                   ///< "libfabric 1.17", or why there is none
  std::vector<ProviderState> providers;  ///< the best first
};
OfiHere ofi_here();

/// Why a provider is taken only with --unsafe-provider; empty: it is taken without.
std::string_view why_unsafe_provider(std::string_view name);

/// What carries frames between processes, as it is asked for.
struct FrameOptions {
  std::string provider{};  ///< of libfabric; empty: the best
  FrameWay way = FrameWay::automatic;
  bool unsafe_provider = false;  ///< the provider may be one that strangers can end
  bool goes_on = false;          ///< without processes that are lost
};

/// The fabric of this process.
struct OfiEmulation {
  std::unique_ptr<Fabric> fabric;
  std::string provider;  ///< name of the one that carries the frames
  FrameWay frames = FrameWay::messages;
  std::size_t bytes_per_peer = 0;  ///< buffers of frames for each process that this one talks to
};

/// Makes the fabric. All processes call it with the same arguments apart from the placement.
/// Throws as the router's make_ofi_fabric(). REQUIRES: `processes` have joined and outlive the
/// fabric.
OfiEmulation make_ofi_fabric(const Processes& processes, const Shape& shape, const Machine& machine,
                             Placement placement, RingOptions ring, const FrameOptions& frames);

/// A process that a run went on without.
struct LostProcess {
  unsigned rank = 0;
  std::string why;  ///< with its name
  std::vector<Rank> nodes;
};
/// Those of the last run, in the order in which they were lost. REQUIRES: `processes` have joined.
std::vector<LostProcess> lost_processes(const Processes& processes, const Shape& shape);
/// [node]: the process that it belongs to. REQUIRES: as above.
std::vector<unsigned> processes_of_nodes(const Processes& processes, const Shape& shape);

/// The workers of this process, beside those of other processes on the same host. All processes
/// call it in the same order. `threads` 0: as many as are left for it. REQUIRES: `processes` have
/// joined.
Placement place_beside_others(const Processes& processes, HostTopology topology, const Shape& shape,
                              unsigned threads, Binding binding);

}  // namespace toroid
