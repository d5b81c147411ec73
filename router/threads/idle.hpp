// What a thread does while it waits for another: spin, then yield, then sleep.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace toroid {

/// Counts the rounds that a thread has waited and makes each longer than those before it. Every
/// waiting thread has one of its own.
class Idle {
 public:
  /// `spins`: the thread has a core to itself. Otherwise it yields at once.
  explicit Idle(bool spins) : spins_(spins ? kSpins : 0) {}

  /// There is work again.
  void reset() { rounds_ = 0; }
  /// Rounds without work so far.
  unsigned rounds() const { return rounds_; }

  /// Waits for one more round.
  void wait() {
    const unsigned round = rounds_++;
    if (round < spins_) return round < kHurried ? void() : relax();
    if (round < spins_ + kYields) return std::this_thread::yield();
    rounds_ = std::min(rounds_, spins_ + kYields + kDoublings);
    std::this_thread::sleep_for(kShortest * (1u << (rounds_ - spins_ - kYields)));
  }

  /// A short while in which the core's other thread, if it has one, can do more.
  static void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

 private:
  static constexpr unsigned kHurried = 100;  ///< an answer takes no longer; a pause is some 15 ns
  static constexpr unsigned kSpins = 2000;   ///< some 50 us: a packet's way takes less than one
  static constexpr unsigned kYields = 500;   ///< some 500 us
  static constexpr std::chrono::microseconds kShortest{8};
  static constexpr unsigned kDoublings = 7;  ///< the longest sleep, 1 ms: 1 % of a core, or less

  unsigned spins_;
  unsigned rounds_ = 0;
};

}  // namespace toroid
