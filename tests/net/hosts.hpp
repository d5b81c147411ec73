// Hosts alpha, beta, gamma, ... at 10.77.0.1, .2, .3, ..., joined by a switch. Their packets never
// reach the network of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/net/host.hpp"
#include "tests/net/switch.hpp"

namespace toroid::testing {

enum class Wiring {
  bridge,          ///< the kernel's bridge: fast
  our_switch,      ///< delays, slows down, loses and cuts frames as set
  our_fast_switch  ///< the same, but TCP data sent at once passes as one frame of up to 64 KiB
};

class Hosts {
 public:
  static constexpr unsigned kMost = 8;

  /// Makes `count` hosts and joins them. Throws NotPermitted.
  explicit Hosts(unsigned count, Wiring wiring = Wiring::bridge);

  unsigned size() const { return static_cast<unsigned>(hosts_.size()); }
  const Host& operator[](unsigned index) const { return *hosts_.at(index); }
  /// The switch; its port i belongs to host i. REQUIRES: not wired by bridge.
  Switch& our_switch() { return *switch_; }

 private:
  void link_by_bridge();
  void link_by_our_switch(bool offloading);

  std::vector<std::unique_ptr<Host>> hosts_;
  std::unique_ptr<Host> bridge_;  ///< a network with only the bridge
  std::unique_ptr<Switch> switch_;
};

/// The reason why this machine does not permit such hosts; empty: it does.
std::string obstacle_to(Wiring wiring);

}  // namespace toroid::testing
