// Tells a standstill from a long computation.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "router/termination/control.hpp"

namespace toroid::ring {

/// Looks at the workers' heartbeats. A standstill: throughout the limit nothing has moved, although
/// every worker has gone round between any look and the next. So a processor that computes for
/// minutes is none.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StallWatch(std::chrono::milliseconds limit) : period_(limit / kLooks) {}

  bool sees_standstill(const RunControl& control, Clock::time_point now = Clock::now()) {
    if (now - looked_at_ < period_) return false;
    looked_at_ = now;
    const RunControl::Heartbeat before = std::exchange(beat_, control.heartbeat());
    looks_ = moved_or_busy(before) ? 0 : looks_ + 1;
    return looks_ >= kLooks;
  }

 private:
  static constexpr int kLooks = 10;

  bool moved_or_busy(const RunControl::Heartbeat& before) const {
    if (before.rounds.empty() || before.moved != beat_.moved) return true;
    for (std::size_t w = 0; w < beat_.rounds.size(); ++w)
      if (before.rounds[w] == beat_.rounds[w]) return true;
    return false;
  }

  std::chrono::milliseconds period_;
  Clock::time_point looked_at_{};
  RunControl::Heartbeat beat_;
  int looks_ = 0;
};

}  // namespace toroid::ring
