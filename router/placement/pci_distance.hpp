// The distance of PCI devices, such as network cards, from processors, as reported by hwloc.
#pragma once

#include <memory>
#include <optional>

struct hwloc_topology;

namespace toroid {

/// The PCI address of a device.
struct PciAddress {
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned function;
};

class PciDistance {
 public:
  /// Reads the topology of this machine. Throws RunFailed if hwloc cannot.
  PciDistance();

  /// Number of PUs in the smallest part of the machine that contains both the device and the PU
  /// with this operating-system index: the fewer, the nearer. None if the device or the PU is
  /// unknown.
  std::optional<unsigned> operator()(const PciAddress& device, unsigned pu) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

}  // namespace toroid
