// The wall clock, in cycles of the machine that is emulated.
#pragma once

#include <chrono>
#include <ratio>

#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::ring {

class WallClock {
 public:
  explicit WallClock(const Machine& machine) : ticks_per_ns_(machine.clock_hz * 1e-9) {}

  void start() { start(std::chrono::steady_clock::now()); }
  void start(std::chrono::steady_clock::time_point origin) { start_ = origin; }
  Tick now() const {
    const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start_;
    return static_cast<Tick>(ns.count() * ticks_per_ns_);
  }

 private:
  double ticks_per_ns_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace toroid::ring
