// How far PCI devices, e.g. network cards, are from processors, as hwloc sees the machine.
#pragma once

#include <memory>
#include <optional>

struct hwloc_topology;

namespace toroid {

/// Where a device is plugged in.
struct PciAddress {
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned function;
};

class DeviceDistance {
 public:
  /// Looks at this machine. Throws RunFailed if hwloc cannot.
  DeviceDistance();

  /// Number of PUs in the smallest part of the machine to which both the device and the PU of that
  /// index of the system belong: the fewer, the nearer. None: one of them is not known.
  std::optional<unsigned> operator()(const PciAddress& device, unsigned pu) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

}  // namespace toroid
