// State shared by all devices of a process: the emulated machine, the wall clock, and the nodes
// that live here.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <ratio>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::termination {
class RunControl;
}

namespace toroid::ring {

/// The wall clock, in cycles of the emulated machine.
class WallClock {
 public:
  explicit WallClock(const Machine& machine) : ticks_per_ns_(machine.clock_hz * 1e-9) {}

  /// Sets cycle 0 to now, or to `origin`.
  void start() { start(std::chrono::steady_clock::now()); }
  void start(std::chrono::steady_clock::time_point origin) { start_ = origin; }
  Tick now() const {
    const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start_;
    return static_cast<Tick>(ns.count() * ticks_per_ns_);
  }
  /// Time from now until `then`, clamped to between 1 ms and one hour.
  std::chrono::milliseconds until(Tick then) const {
    const double ms =
        (static_cast<double>(then) - static_cast<double>(now())) / ticks_per_ns_ / 1e6;
    return std::chrono::milliseconds(static_cast<int>(std::clamp(ms, 1.0, 3.6e6)));
  }

 private:
  double ticks_per_ns_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The nodes of the torus that live in this process.
class LocalNodes {
 public:
  /// All nodes of the torus.
  explicit LocalNodes(const Shape& shape) : nodes_(shape.size()), index_(shape.size()) {
    std::iota(nodes_.begin(), nodes_.end(), Rank{0});
    index_ = nodes_;
  }
  /// The given nodes, which are in ascending order.
  LocalNodes(const Shape& shape, std::vector<Rank> nodes)
      : nodes_(std::move(nodes)), index_(shape.size(), kElsewhere) {
    for (Rank i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
  }

  /// In ascending order.
  std::span<const Rank> nodes() const { return nodes_; }
  Rank size() const { return static_cast<Rank>(nodes_.size()); }
  bool has(Rank node) const { return index_[node] != kElsewhere; }
  /// A node's index in nodes(). REQUIRES: has(node).
  Rank index(Rank node) const {
    const Rank index = index_[node];
    TOROID_CHECK(index != kElsewhere);
    return index;
  }

 private:
  static constexpr Rank kElsewhere = std::numeric_limits<Rank>::max();

  std::vector<Rank> nodes_;
  std::vector<Rank> index_;  ///< [rank]
};

/// Owned by the fabric; devices and topologies refer to it.
struct SharedDeviceState {
  Shape shape;
  Machine machine;
  FifoLinks tying;
  WallClock clock;
  LocalNodes local;
  termination::RunControl* control = nullptr;  ///< of the run; null in tests of single devices
};

}  // namespace toroid::ring
