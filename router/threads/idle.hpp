// How a thread waits for another: it spins, then yields, then sleeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace toroid {

/// Counts the rounds that a thread has waited, and makes later rounds longer. Every waiting thread
/// has its own object.
class Idle {
 public:
  /// `spins` is true if the thread has a core to itself. Otherwise it yields at once.
  explicit Idle(bool spins) : spins_(spins ? kSpins : 0) {}

  /// To be called when there is work again.
  void reset() { rounds_ = 0; }
  /// Number of rounds since the latest reset().
  unsigned rounds() const { return rounds_; }

  /// Waits for one round.
  void wait() {
    const unsigned round = rounds_++;
    if (round < spins_) return round < kHurried ? void() : relax();
    if (round < spins_ + kYields) return std::this_thread::yield();
    rounds_ = std::min(rounds_, spins_ + kYields + kDoublings);
    std::this_thread::sleep_for(kShortest * (1u << (rounds_ - spins_ - kYields)));
  }

  /// A short pause that leaves resources to the core's other hardware thread, if any.
  static void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

 private:
  static constexpr unsigned kHurried = 100;  ///< the first rounds have no pause (about 15 ns), so
                                             ///< that an answer that comes soon is seen at once
  static constexpr unsigned kSpins = 2000;   ///< number of rounds before the first yield, about 50
                                             ///< us; a packet takes less than 1 us
  static constexpr unsigned kYields = 500;   ///< number of rounds that yield, about 500 us
  static constexpr std::chrono::microseconds kShortest{8};
  static constexpr unsigned kDoublings = 7;  ///< the sleep doubles this many times, up to 1 ms;
                                             ///< waking once per ms costs at most 1 % of a core

  unsigned spins_;
  unsigned rounds_ = 0;
};

}  // namespace toroid
