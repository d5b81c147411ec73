// The processor cores that this process may use, as reported by hwloc.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

/// A physical core; its hyperthreads are its PUs (processing units).
struct Core {
  unsigned index;             ///< hwloc's logical index, unique in the machine
  unsigned package;           ///< logical index of its socket; 0 if unknown
  unsigned numa;              ///< logical index of its first NUMA node
  std::vector<unsigned> pus;  ///< operating-system indices of the allowed PUs; never empty
};

/// An immutable list of cores.
class HostTopology {
 public:
  /// Cores with a PU that both the process's cpuset and the calling thread's affinity mask allow.
  /// Throws BadInput if there is none, RunFailed if hwloc cannot read the machine's topology. The
  /// cpuset is that of the first call in this process. Any thread may call it.
  static HostTopology of_this_machine();

  /// A machine in hwloc's synthetic notation, as in "pack:2 core:4 pu:2"; all its PUs are allowed.
  /// Throws BadInput if hwloc rejects the notation or there are more than 65536 PUs.
  static HostTopology synthetic(const std::string& description);

  /// In hwloc's logical order: neighbours in the list are close in the machine. Never empty.
  const std::vector<Core>& cores() const& { return cores_; }
  std::vector<Core> cores() && { return std::move(cores_); }

  /// `count` of its cores, from `first` on. REQUIRES: count > 0, and the cores exist.
  HostTopology part(std::size_t first, std::size_t count) && {
    TOROID_CHECK(count > 0 && first <= cores_.size() && count <= cores_.size() - first);
    const auto begin = cores_.begin() + static_cast<std::ptrdiff_t>(first);
    return HostTopology({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }

 private:
  explicit HostTopology(std::vector<Core> cores);

  std::vector<Core> cores_;
};

}  // namespace toroid
