#include "router/placement/host_topology.hpp"

#include <fmt/core.h>
#include <hwloc.h>
#include <hwloc/bitmap.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace toroid {
namespace {

struct Release {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Handle = std::unique_ptr<hwloc_topology, Release>;
using PuSet = std::unique_ptr<hwloc_bitmap_s, Release>;

Handle new_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw RunFailed("hwloc cannot be initialised");
  return Handle(topology);
}

/// The PUs of the process's cpuset. On this machine, but not on a synthetic one, a PU must also be
/// in the calling thread's affinity mask, which the threads that it starts inherit.
PuSet usable_pus(hwloc_topology_t topology) {
  PuSet usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  if (hwloc_topology_is_thissystem(topology) == 0) return usable;
  const PuSet mask(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, mask.get(), HWLOC_CPUBIND_THREAD) == 0)
    hwloc_bitmap_and(usable.get(), usable.get(), mask.get());
  return usable;
}

unsigned package_of(hwloc_topology_t topology, hwloc_obj_t core) {
  const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
  return package == nullptr ? 0 : package->logical_index;
}

unsigned numa_of(hwloc_topology_t topology, hwloc_obj_t core) {
  const int first = hwloc_bitmap_first(core->nodeset);
  if (first < 0) return 0;
  const auto* node = hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
  return node == nullptr ? 0 : node->logical_index;
}

std::vector<unsigned> pus_of(hwloc_obj_t core, hwloc_const_bitmap_t usable) {
  std::vector<unsigned> pus;
  for (int pu = -1; (pu = hwloc_bitmap_next(core->cpuset, pu)) >= 0;)
    if (hwloc_bitmap_isset(usable, static_cast<unsigned>(pu)) != 0)
      pus.push_back(static_cast<unsigned>(pu));
  return pus;
}

/// If the system reports no cores (some virtual machines), each PU counts as a core.
std::vector<Core> cores_of(hwloc_topology_t topology) {
  const PuSet usable = usable_pus(topology);
  const int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
  std::vector<Core> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_depth(topology, depth, core)) != nullptr;) {
    auto pus = pus_of(core, usable.get());
    if (pus.empty()) continue;
    cores.push_back(
        {core->logical_index, package_of(topology, core), numa_of(topology, core), std::move(pus)});
  }
  return cores;
}

/// The number of PUs in a synthetic description: the product of its counts, but at most `most` + 1.
/// hwloc checks the description itself; this limit only keeps hwloc from building a machine of
/// billions of PUs.
unsigned long long described_pus(const std::string& description, unsigned long long most) {
  unsigned long long pus = 1, count = 0;
  int brackets = 0;  // attributes, as in "numa:2(memory=4GB)"
  for (const char c : description + " ") {
    brackets += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (brackets != 0) continue;
    if (c == ' ') pus = std::min(pus * std::max(count, 1ull), most + 1);
    if (c == ' ' || c == ':') count = 0;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0)
      count = std::min(10 * count + static_cast<unsigned>(c - '0'), most + 1);
  }
  return pus;
}

constexpr unsigned kMostPus = 65536;

[[noreturn]] void refuse(const std::string& description, const std::string& why) {
  throw BadInput(
      fmt::format("'{}' is not a machine: {}; expected hwloc's synthetic notation, as in 'pack:2 "
                  "core:4 pu:2'",
                  description, why));
}

}  // namespace

HostTopology::HostTopology(std::vector<Core> cores) : cores_(std::move(cores)) {
  TOROID_CHECK(!cores_.empty());
}

namespace {

Handle topology_of_this_machine() {
  Handle topology = new_topology();
  if (hwloc_topology_load(topology.get()) != 0)
    throw RunFailed("hwloc cannot read the topology of this machine");
  return topology;
}

}  // namespace

/// Loads the topology once, which takes milliseconds. The affinity mask is looked up each time.
HostTopology HostTopology::of_this_machine() {
  static const Handle topology = topology_of_this_machine();
  auto cores = cores_of(topology.get());
  if (cores.empty())
    throw BadInput("cpuset and affinity mask allow none of this machine's processors");
  return HostTopology(std::move(cores));
}

HostTopology HostTopology::synthetic(const std::string& description) {
  if (described_pus(description, kMostPus) > kMostPus)
    refuse(description, fmt::format("more than {} PUs", kMostPus));
  const Handle topology = new_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    refuse(description, "hwloc rejects it");
  return HostTopology(cores_of(topology.get()));
}

}  // namespace toroid
