// Clocks of a job: a clock that counts only time in which the process was able to listen, and the
// offset between the clocks of two hosts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace toroid::job {

using Clock = std::chrono::steady_clock;

/// A clock that measures how long others have been silent. From one step to the next it advances by
/// the elapsed time, but never by more than a limit: a process that was stopped, or got no CPU, has
/// not listened meanwhile and cannot say that others were silent.
class AwakeClock {
 public:
  explicit AwakeClock(Clock::duration limit, Clock::time_point real = Clock::now())
      : limit_(limit), stepped_(real) {}

  Clock::time_point now() const { return now_; }
  void step(Clock::time_point real) {
    now_ += std::clamp(real - std::exchange(stepped_, real), Clock::duration::zero(), limit_);
  }

 private:
  Clock::duration limit_;
  Clock::time_point stepped_;
  Clock::time_point now_ = stepped_;
};

/// The offset between the steady clocks of this host and another host, measured by pings. The
/// shortest ping counts, because it was delayed least; the error is at most half of its round trip.
/// All times are in nanoseconds.
class ClockOffset {
 public:
  static constexpr int kPings = 8;

  /// A time of this host's clock.
  static std::uint64_t stamp(Clock::time_point now) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(now.time_since_epoch()).count());
  }

  /// Adds a ping: `sent` and `received` are times of this host's clock, `there` is the time of the
  /// answer by the other host's clock.
  void add_ping(std::uint64_t sent, std::uint64_t there, std::uint64_t received) {
    ++pings_;
    const std::uint64_t time = received - sent;
    if (time >= shortest_) return;
    shortest_ = time;
    offset_ = static_cast<std::int64_t>(there - (sent + time / 2));
  }

  bool is_known() const { return pings_ >= kPings; }
  /// The offset to add to this host's time to get the other host's time.
  std::chrono::nanoseconds value() const { return std::chrono::nanoseconds(offset_); }

 private:
  int pings_ = 0;
  std::uint64_t shortest_ = UINT64_MAX;
  std::int64_t offset_ = 0;
};

}  // namespace toroid::job
