// What process 0 makes of the reports of all: whether a run is quiescent, stands still, or has a
// process that does not answer another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "router/job/awake_clock.hpp"
#include "router/job/job.hpp"

namespace toroid::job {

/// Mattern's four counters over two waves of reports. The first are the reports last received;
/// where they are all passive and nothing is under way by them, every process is asked again: its
/// answer is younger than all of the first wave. See ring::RunControl::is_quiescent().
class Quiescence {
 public:
  explicit Quiescence(unsigned size) : latest_(size), answers_(size) {}

  void take(unsigned rank, const RunReport& report) { latest_[rank] = report; }
  void answer(unsigned rank, std::uint32_t wave, const RunReport& report);
  bool holds();
  /// The one whose answers are missing; 0: none.
  std::uint32_t wave() const { return asking_ ? wave_ : 0; }

 private:
  using Wave = std::vector<std::optional<RunReport>>;
  static std::optional<std::uint64_t> balance(const Wave& wave);
  void ask(std::uint64_t injected);
  bool second_wave_agrees();

  Wave latest_;
  Wave answers_;
  std::uint32_t wave_ = 0;
  bool asking_ = false;
  std::uint64_t first_ = 0;  ///< packets injected and delivered by the first wave
};

/// A standstill: nothing has moved from look to look though every process has gone round between
/// them. A look waits for a new report of everybody, so that a late one is no standstill.
class Standstill {
 public:
  Standstill(unsigned size, Clock::duration limit, Clock::time_point now)
      : latest_(size), seen_(size), period_(limit / kLooks), looked_at_(now) {}

  void take(unsigned rank, const RunReport& report) { latest_[rank] = report; }
  bool holds(Clock::time_point now);

 private:
  static constexpr int kLooks = 10;
  bool all_reported() const;
  bool moved_or_busy();

  std::vector<std::optional<RunReport>> latest_;  ///< since the last look
  std::vector<RunReport> seen_;                   ///< at the last look
  Clock::duration period_;
  Clock::time_point looked_at_;
  int looks_ = -1;  ///< the first has nothing to compare with
};

/// A process that gets no answer from another, though that one's workers go round.
class Suspicions {
 public:
  struct Suspicion {
    unsigned by = 0;
    unsigned of = 0;
  };

  explicit Suspicions(unsigned size) : laps_(size), open_(size) {}

  void take(unsigned rank, const RunReport& report, Clock::time_point now);
  std::optional<Suspicion> confirmed() const;

 private:
  struct Open {
    int of = -1;
    Clock::time_point since;
    Clock::time_point repeated;  ///< last
    std::uint64_t laps = 0;      ///< of the suspect, at first
  };
  bool goes_round(const Open& open) const;
  bool is_confirmed(const Open& open) const;

  std::vector<std::uint64_t> laps_;
  std::vector<Open> open_;
};

/// All of it, for one run.
class Judge {
 public:
  Judge(unsigned size, Clock::duration stall, Clock::time_point now)
      : quiescence_(size), standstill_(size, stall, now), suspicions_(size) {}

  void take(unsigned rank, std::uint32_t wave, const RunReport& report, Clock::time_point now);
  Verdict look(Clock::time_point now);
  std::uint32_t wave() const { return quiescence_.wave(); }
  std::optional<Suspicions::Suspicion> suspicion() const { return suspicions_.confirmed(); }

 private:
  Quiescence quiescence_;
  Standstill standstill_;
  Suspicions suspicions_;
};

}  // namespace toroid::job
