// Decides when a run is over, from its members' progress reports.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace toroid::termination {

using Clock = std::chrono::steady_clock;

/// The progress of a member of a run: a worker thread of a process, or a process of a job.
struct MemberReport {
  /// Nothing can happen on the member's nodes until a packet arrives from another member.
  bool passive = false;
  std::uint64_t injected = 0;   ///< packets injected before the member last became passive
  std::uint64_t delivered = 0;  ///< packets delivered before the member last became passive
  std::uint64_t moved = 0;      ///< changes whenever a packet has moved or a program has gone on
  /// Rounds of a worker's loop. A process counts a round when all its workers have completed one.
  std::uint64_t rounds = 0;
  int suspect = -1;  ///< process that has not answered this process for too long; -1 if there is
                     ///< none
  /// Number of lost processes whose packets, in both directions, are left out of `injected` and
  /// `delivered`.
  std::uint32_t without = 0;
};

enum class Verdict {
  none,       ///< the run goes on
  quiescent,  ///< no member has anything left to do and no packet is in flight
  stalled,    ///< nothing has moved for the time limit, though every member completes rounds
  failed      ///< a member failed or was lost
};

/// Finds out that nothing is left to do, by Mattern's four counters.
///
/// A wave is one report of every member. **Rule:** a wave is balanced if all members are passive
/// and all injected packets have been delivered. If two waves are balanced with equal counts, and
/// each report of the second was made after all reports of the first had arrived, then nothing was
/// in flight between the two waves, and nothing ever will be again.
/// **Protocol:** the latest reports are the first wave. If it is balanced, wanted_wave() asks every
/// member for another report, and the answers are the second wave.
/// Source: F. Mattern, "Algorithms for distributed termination detection", Distributed Computing 2
/// (1987).
/// **Losses:** when a member is lost, the remaining members go on. A report counts only if it
/// leaves out all members lost so far; a wave consists of such reports.
class Quiescence {
 public:
  explicit Quiescence(std::size_t members)
      : latest_(members), answers_(members), is_lost_(members, false) {}

  /// `wave`: the wanted_wave() that the report answers; 0 if it answers none.
  void report(std::size_t member, const MemberReport& report, std::uint32_t wave);
  /// A member will report no more. Earlier reports become invalid.
  void lose(std::size_t member);
  /// Number of the wave that waits for answers; 0 if none does.
  std::uint32_t wanted_wave() const { return asking_ ? wave_ : 0; }
  /// Returns true if nothing is left to do. Otherwise, if the first wave is balanced, begins the
  /// second; if the second is complete but differs, the next call begins anew.
  bool holds();

 private:
  using Wave = std::vector<std::optional<MemberReport>>;
  std::optional<std::uint64_t> balance(const Wave& wave) const;
  bool is_complete(const Wave& wave) const;
  void ask(std::uint64_t injected);

  Wave latest_;
  Wave answers_;
  std::vector<bool> is_lost_;
  std::uint32_t losses_ = 0;
  std::uint32_t wave_ = 0;
  bool asking_ = false;
  std::uint64_t first_ = 0;  ///< packets injected, which is also the number delivered, in the first
                             ///< wave
};

/// Finds out that nothing has moved for a time limit, though every member has completed rounds in
/// the meantime. So a member that computes for minutes is not a stall.
///
/// **Protocol:** a sample compares every member's report with its report in the sample before.
/// Samples are a tenth of the limit apart, or more if a member has not reported since the previous
/// sample: a late report neither causes nor prevents a stall. Ten samples in a row without motion
/// are a stall.
class StallWatch {
 public:
  StallWatch(std::size_t members, Clock::duration limit, Clock::time_point now)
      : latest_(members),
        sampled_(members),
        is_lost_(members, false),
        period_(limit / kSamples),
        sampled_at_(now) {}

  void report(std::size_t member, const MemberReport& report) { latest_[member] = report; }
  /// A member will report no more; this counts as motion.
  void lose(std::size_t member);
  /// Takes a sample if one is due. Returns true if that completes a stall.
  bool holds(Clock::time_point now);

 private:
  static constexpr int kSamples = 10;
  bool all_reported() const;
  bool moved_or_busy();

  std::vector<std::optional<MemberReport>> latest_;  ///< reports since the latest sample
  std::vector<MemberReport> sampled_;                ///< reports in the latest sample
  std::vector<bool> is_lost_;
  Clock::duration period_;
  Clock::time_point sampled_at_;
  int still_ = -1;  ///< samples in a row without motion; -1 before the first sample and after a
                    ///< loss
};

/// Decides when a run is over, from the reports of its members.
///
/// It works the same for threads of a process and for processes of a job; only the transport of
/// reports differs. RunControl reads threads' reports from shared memory; process 0 of a job
/// receives processes' reports as messages. Quiescence is stable, so any number of detectors may
/// observe the same run. Each detector is owned and called by one thread.
class TerminationDetector {
 public:
  /// `stall`: time without motion, from `now` on, after which the run has stalled.
  TerminationDetector(std::size_t members, Clock::duration stall, Clock::time_point now)
      : quiescence_(members), stall_(members, stall, now) {}

  /// A report of `member` has arrived. `wave`: the wanted_wave() that it answers; 0 if it answers
  /// none.
  void report(std::size_t member, const MemberReport& report, std::uint32_t wave = 0);
  /// `member` will report no more: from now on only the remaining members count.
  void lose(std::size_t member);
  /// Number of the wave for which every member is to report once more; 0 if there is none.
  std::uint32_t wanted_wave() const { return quiescence_.wanted_wave(); }
  bool is_quiescent() { return quiescence_.holds(); }
  bool is_stalled(Clock::time_point now) { return stall_.holds(now); }

 private:
  Quiescence quiescence_;
  StallWatch stall_;
};

}  // namespace toroid::termination
