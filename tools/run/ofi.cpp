#include "tools/run/ofi.hpp"

#include <utility>

#include "hal/check.hpp"
#include "router/job/job.hpp"
#include "router/ofi/host_share.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/process_partition.hpp"

namespace toroid {

bool has_ofi() {
  return true;
}

std::string_view why_unsafe_provider(std::string_view name) {
  return ofi::why_unsafe(name);
}

/// A missing libfabric is not an error here, since callers only list providers.
OfiHere ofi_here() {
  OfiHere here;
  try {
    here.library = ofi::library_name();
  } catch (const RunFailed& failure) {
    here.library = failure.what();
    return here;
  }
  for (const ofi::Candidate& provider : ofi::Providers("").all())
    here.providers.push_back({provider.name, provider.info != nullptr, provider.writes,
                              provider.least_read > 0, provider.reason});
  return here;
}

OfiEmulation make_ofi_fabric(const Processes& processes, const Shape& shape, const Machine& machine,
                             Placement placement, RingOptions ring, const FrameOptions& frames) {
  OfiTransport transport;
  std::string& provider = processes.provider();
  if (provider.empty()) provider = frames.provider;
  const OnLoss on_loss = frames.goes_on ? OnLoss::go_on : OnLoss::fail;
  auto fabric = make_ofi_fabric(
      processes.job(), shape, machine, std::move(placement),
      OfiOptions{std::move(ring), provider, frames.way, on_loss, frames.unsafe_provider},
      &transport);
  provider = transport.provider;
  return {std::move(fabric), std::move(transport.provider), transport.frames,
          transport.bytes_per_peer};
}

std::vector<LostProcess> lost_processes(const Processes& processes, const Shape& shape) {
  std::vector<LostProcess> lost;
  const Partition partition(shape, processes.count());
  for (Loss& loss : processes.job().losses())
    lost.push_back({loss.rank, std::move(loss.why), partition.nodes(loss.rank)});
  return lost;
}

std::vector<unsigned> processes_of_nodes(const Processes& processes, const Shape& shape) {
  const Partition partition(shape, processes.count());
  std::vector<unsigned> owners;
  for (Rank node = 0; node < shape.size(); ++node) owners.push_back(partition.owner(node));
  return owners;
}

Placement place_beside_others(const Processes& processes, HostTopology topology, const Shape& shape,
                              unsigned threads, Binding binding) {
  return toroid::place_beside_others(processes.job(), std::move(topology), shape, threads, binding);
}

}  // namespace toroid
