#include "tests/net/hosts.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "tests/net/file_descriptor.hpp"

namespace toroid::testing {
namespace {

constexpr std::array<const char*, Hosts::kMost> kNames = {"alpha",   "beta", "gamma", "delta",
                                                          "epsilon", "zeta", "eta",   "theta"};

std::string address_of(unsigned index) {
  return "10.77.0." + std::to_string(index + 1);
}

std::string hosts_file() {
  std::string lines = "127.0.0.1 localhost\n";
  for (unsigned index = 0; index < Hosts::kMost; ++index)
    lines += address_of(index) + ' ' + kNames[index] + '\n';
  return lines;
}

HostIdentity identity_of(unsigned index) {
  return {kNames.at(index), address_of(index), hosts_file(),
          "77000000-0000-4000-8000-00000000000" + std::to_string(index)};
}

/// Opens the device eth0 of the calling thread's network. `offloading`: the kernel omits checksums
/// and passes TCP data as unsegmented large frames.
FileDescriptor open_tap(bool offloading) {
  FileDescriptor tap(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (tap.get() < 0)
    throw NotPermitted(std::string("/dev/net/tun cannot be used: ") + ::strerrordesc_np(errno));
  ifreq request{};
  std::copy_n("eth0", 5, request.ifr_name);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  succeeded(::ioctl(tap.get(), TUNSETIFF, &request), "TUNSETIFF");
  const unsigned long offload = offloading ? TUN_F_CSUM | TUN_F_TSO4 : 0;
  succeeded(::ioctl(tap.get(), TUNSETOFFLOAD, offload), "TUNSETOFFLOAD");
  return tap;
}

}  // namespace

Hosts::Hosts(unsigned count, Wiring wiring) {
  for (unsigned index = 0; index < count; ++index)
    hosts_.push_back(std::make_unique<Host>(identity_of(index)));
  if (wiring == Wiring::bridge)
    link_by_bridge();
  else
    link_by_our_switch(wiring == Wiring::our_fast_switch);
  for (const auto& host : hosts_) host->set_address();
}

void Hosts::link_by_bridge() {
  bridge_ = std::make_unique<Host>(HostIdentity{"bridge", "", hosts_file(), "none"});
  try {
    bridge_->ip({"link", "add", "bridge0", "type", "bridge"});
  } catch (const std::runtime_error& error) {
    throw NotPermitted(error.what());
  }
  bridge_->ip({"link", "set", "bridge0", "up"});
  for (unsigned index = 0; index < size(); ++index) {
    const std::string port = "port" + std::to_string(index);
    bridge_->ip({"link", "add", port, "type", "veth", "peer", "name", "eth0", "netns",
                 hosts_[index]->network_path()});
    bridge_->ip({"link", "set", port, "master", "bridge0", "up"});
  }
}

void Hosts::link_by_our_switch(bool offloading) {
  std::vector<FileDescriptor> taps;
  for (const auto& host : hosts_) {
    host->in_network([&] { taps.push_back(open_tap(offloading)); });
    // Large frames, because the switch makes two system calls for each frame.
    host->ip({"link", "set", "eth0", "mtu", "9000"});
  }
  switch_ = std::make_unique<Switch>(std::move(taps));
}

std::string obstacle_to(Wiring wiring) {
  if (::access("/sbin/ip", X_OK) != 0 && ::access("/usr/sbin/ip", X_OK) != 0)
    return "ip(8) of iproute2 is not installed";
  try {
    const Hosts hosts(1, wiring);
  } catch (const NotPermitted& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace toroid::testing
