// What lies between the steady clocks of two hosts.
#pragma once

#include <chrono>
#include <cstdint>

namespace toroid::job {

/// From several pings; the shortest one counts, for it was held up least on its ways. Off by at
/// most half of its time. In nanoseconds.
class ClockOffset {
 public:
  static constexpr int kPings = 8;

  static std::uint64_t stamp() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
  }

  /// Sent and received by this clock, and answered there by the other one.
  void add_ping(std::uint64_t sent, std::uint64_t there, std::uint64_t received) {
    ++pings_;
    const std::uint64_t time = received - sent;
    if (time >= shortest_) return;
    shortest_ = time;
    offset_ = static_cast<std::int64_t>(there - (sent + time / 2));
  }

  bool is_known() const { return pings_ >= kPings; }
  std::chrono::nanoseconds value() const { return std::chrono::nanoseconds(offset_); }

 private:
  int pings_ = 0;
  std::uint64_t shortest_ = UINT64_MAX;
  std::int64_t offset_ = 0;
};

}  // namespace toroid::job
