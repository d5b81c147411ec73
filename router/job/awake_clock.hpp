// Time in which this process was able to listen.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace toroid::job {

using Clock = std::chrono::steady_clock;

/// Goes on by what has passed between two steps, but never by more than a limit: a process that was
/// stopped, or got no processor, has not listened meanwhile and cannot say that others were silent.
class AwakeClock {
 public:
  explicit AwakeClock(Clock::duration limit) : limit_(limit) {}

  Clock::time_point now() const { return now_; }
  void step(Clock::time_point real = Clock::now()) {
    now_ += std::clamp(real - std::exchange(stepped_, real), Clock::duration::zero(), limit_);
  }

 private:
  Clock::duration limit_;
  Clock::time_point stepped_ = Clock::now();
  Clock::time_point now_ = stepped_;
};

}  // namespace toroid::job
