// The processor cores that this process may use, as hwloc sees the machine.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace toroid {

/// A physical core; its hyperthreads are its PUs (processing units).
struct Core {
  unsigned index;             ///< hwloc's logical index, unique in the machine
  unsigned package;           ///< logical index of its socket; 0 where none is known
  unsigned numa;              ///< logical index of its first NUMA node
  std::vector<unsigned> pus;  ///< the system's indices of the PUs allowed to us; never empty
};

/// A list of cores; never changes.
class HostTopology {
 public:
  /// Cores with a PU that both the cpuset of the process and the affinity mask of the calling
  /// thread allow. Throws BadInput if there is none, RunFailed if hwloc cannot look at the machine.
  static HostTopology of_this_machine();

  /// A machine in hwloc's synthetic notation, as in "pack:2 core:4 pu:2", whose PUs are all
  /// allowed. Throws BadInput if hwloc does not understand it, or it has more than 65536 PUs.
  static HostTopology synthetic(const std::string& description);

  /// In hwloc's logical order: those close together in the machine are close together. Never empty.
  const std::vector<Core>& cores() const& { return cores_; }
  std::vector<Core> cores() && { return std::move(cores_); }

  /// Some of its cores. REQUIRES: at least one, and there are so many.
  HostTopology part(std::size_t first, std::size_t count) && {
    const auto begin = cores_.begin() + static_cast<std::ptrdiff_t>(first);
    return HostTopology({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }

 private:
  explicit HostTopology(std::vector<Core> cores);

  std::vector<Core> cores_;
};

}  // namespace toroid
