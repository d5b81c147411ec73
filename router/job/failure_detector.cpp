#include "router/job/failure_detector.hpp"

#include <cstddef>

namespace toroid::job {
namespace {

/// A suspect counts as running if it has completed this many rounds since the suspicion began.
constexpr std::uint64_t kRounds = 4;

}  // namespace

void FailureDetector::report(unsigned rank, const termination::MemberReport& report,
                             Clock::time_point now) {
  rounds_[rank] = report.rounds;
  Open& open = open_[rank];
  if (!is_sensible(rank, report.suspect))
    open.of = -1;
  else if (report.suspect != open.of)
    open = {report.suspect, now, now, rounds_[static_cast<std::size_t>(report.suspect)]};
  if (!goes_round(open)) open.since = now;
  open.repeated = now;
}

bool FailureDetector::is_sensible(unsigned rank, int suspect) const {
  return suspect >= 0 && suspect < static_cast<int>(rounds_.size()) &&
         suspect != static_cast<int>(rank);
}

bool FailureDetector::goes_round(const Open& open) const {
  return open.of >= 0 && rounds_[static_cast<std::size_t>(open.of)] >= open.rounds + kRounds;
}

bool FailureDetector::is_confirmed(const Open& open) const {
  return goes_round(open) && open.repeated - open.since >= persistence_;
}

std::optional<FailureDetector::Suspicion> FailureDetector::confirmed() const {
  for (unsigned rank = 0; rank < open_.size(); ++rank)
    if (is_confirmed(open_[rank])) return Suspicion{rank, static_cast<unsigned>(open_[rank].of)};
  return {};
}

}  // namespace toroid::job
