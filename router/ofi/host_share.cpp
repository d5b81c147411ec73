#include "router/ofi/host_share.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "router/placement/cpu_quota.hpp"
#include "router/placement/process_partition.hpp"

namespace toroid {
namespace {

/// A text that is the same for processes that may use the same cores of the same host.
std::string cores_text(const Job& job, const HostTopology& topology) {
  const ProcessInfo& process = job.process(job.rank());
  std::string text = process.kernel + ' ' + process.host;
  for (const Core& core : topology.cores())
    for (const unsigned pu : core.pus) text += ' ' + std::to_string(pu);
  return text;
}

}  // namespace

HostShare share_of_host(Job& job, const HostTopology& topology) {
  const std::string mine = cores_text(job, topology);
  const auto texts = job.all_gather(std::as_bytes(std::span(mine)));
  HostShare share{0, 0};
  for (unsigned p = 0; p < job.size(); ++p) {
    if (texts[p] != texts[job.rank()]) continue;
    if (p < job.rank()) ++share.index;
    ++share.processes;
  }
  return share;
}

HostTopology cores_of(HostTopology topology, const HostShare& share) {
  const std::size_t cores = topology.cores().size();
  const std::size_t first = cores * share.index / share.processes;
  const std::size_t last = cores * (share.index + 1) / share.processes;
  return std::move(topology).part(std::min(first, cores - 1),
                                  std::max<std::size_t>(1, last - first));
}

Placement place_beside_others(Job& job, HostTopology topology, const Shape& shape, unsigned threads,
                              Binding binding) {
  const HostShare share = share_of_host(job, topology);
  const bool enough = topology.cores().size() >= share.processes;
  Placement placement = place(cores_of(std::move(topology), share), shape,
                              Partition(shape, job.size()).nodes(job.rank()), threads,
                              enough ? binding : Binding::none, cpu_quota() / share.processes);
  placement.oversubscribed |= !enough;
  return placement;
}

}  // namespace toroid
