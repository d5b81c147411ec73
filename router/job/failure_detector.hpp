// Finds processes that run but do not answer another process over the fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "router/job/clocks.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

/// Collects the suspicions of processes against each other.
///
/// In its reports a process names a peer that has not answered its frames for too long. **Rule:**
/// first the suspect's workers must complete some rounds; if the suspicion is then repeated for
/// `persistence`, it is confirmed. So a suspect that computes for long, or has just finished, gets
/// time to answer. Owned and called by process 0's job thread.
class FailureDetector {
 public:
  struct Suspicion {
    unsigned by = 0;  ///< process that gets no answer
    unsigned of = 0;  ///< process that does not answer
  };

  FailureDetector(unsigned processes, Clock::duration persistence)
      : persistence_(persistence), rounds_(processes), open_(processes) {}

  /// Takes note of a report that has arrived from process `rank` at `now`.
  void report(unsigned rank, const termination::MemberReport& report, Clock::time_point now);
  std::optional<Suspicion> confirmed() const;

 private:
  struct Open {
    int of = -1;                 ///< the suspect; -1 if there is no suspicion
    Clock::time_point since;     ///< when the suspect was first seen to run without answering
    Clock::time_point repeated;  ///< when the suspicion was last repeated
    std::uint64_t rounds = 0;    ///< rounds of the suspect when the suspicion began
  };
  bool is_sensible(unsigned rank, int suspect) const;
  bool goes_round(const Open& open) const;
  bool is_confirmed(const Open& open) const;

  Clock::duration persistence_;
  std::vector<std::uint64_t> rounds_;  ///< [process]: rounds in its last report
  std::vector<Open> open_;             ///< [process that suspects]
};

}  // namespace toroid::job
