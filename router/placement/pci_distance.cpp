#include "router/placement/pci_distance.hpp"

#include <hwloc.h>
#include <hwloc/bitmap.h>

#include "hal/check.hpp"

namespace toroid {

void PciDistance::Destroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

PciDistance::PciDistance() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw RunFailed("hwloc cannot be initialised");
  topology_.reset(topology);
  if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0 ||
      hwloc_topology_load(topology) != 0)
    throw RunFailed("hwloc cannot read the topology of this machine");
}

std::optional<unsigned> PciDistance::operator()(const PciAddress& device, unsigned pu) const {
  hwloc_topology_t topology = topology_.get();
  const hwloc_obj_t card = hwloc_get_pcidev_by_busid(topology, device.domain, device.bus,
                                                     device.device, device.function);
  const hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(topology, pu);
  if (card == nullptr || processor == nullptr) return std::nullopt;
  const hwloc_obj_t part = hwloc_get_common_ancestor_obj(
      topology, hwloc_get_non_io_ancestor_obj(topology, card), processor);
  return static_cast<unsigned>(hwloc_bitmap_weight(part->cpuset));
}

}  // namespace toroid
