#include "router/termination/detector.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "router/job/awake_clock.hpp"
#include "router/job/job.hpp"

namespace toroid::job {
namespace {

constexpr std::chrono::seconds kPersistence{1};
constexpr std::uint64_t kLaps = 4;

bool is_there(const std::optional<RunReport>& report) {
  return report.has_value();
}

}  // namespace

/// What has been injected, where all are passive and as much has been delivered.
std::optional<std::uint64_t> Quiescence::balance(const Wave& wave) {
  std::uint64_t injected = 0;
  std::uint64_t delivered = 0;
  for (const auto& report : wave) {
    if (!report || !report->passive) return {};
    injected += report->injected;
    delivered += report->delivered;
  }
  return injected == delivered ? std::optional(injected) : std::nullopt;
}

void Quiescence::answer(unsigned rank, std::uint32_t wave, const RunReport& report) {
  take(rank, report);
  if (asking_ && wave == wave_) answers_[rank] = report;
}

bool Quiescence::holds() {
  if (!asking_) {
    if (const auto injected = balance(latest_)) ask(*injected);
    return false;
  }
  return std::all_of(answers_.begin(), answers_.end(), is_there) && second_wave_agrees();
}

void Quiescence::ask(std::uint64_t injected) {
  first_ = injected;
  ++wave_;
  asking_ = true;
  std::fill(answers_.begin(), answers_.end(), std::nullopt);
}

bool Quiescence::second_wave_agrees() {
  asking_ = false;
  return balance(answers_) == std::optional(first_);
}

bool Standstill::holds(Clock::time_point now) {
  if (now - looked_at_ < period_ || !all_reported()) return false;
  looked_at_ = now;
  looks_ = moved_or_busy() ? 0 : looks_ + 1;
  return looks_ >= kLooks;
}

bool Standstill::all_reported() const {
  return std::all_of(latest_.begin(), latest_.end(), is_there);
}

/// Since the last look, which this one becomes.
bool Standstill::moved_or_busy() {
  bool busy = looks_ < 0;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
    before += seen_[rank].moved;
    after += latest_[rank]->moved;
    busy |= latest_[rank]->laps <= seen_[rank].laps;
    seen_[rank] = *std::exchange(latest_[rank], std::nullopt);
  }
  return busy || before != after;
}

void Suspicions::take(unsigned rank, const RunReport& report, Clock::time_point now) {
  laps_[rank] = report.laps;
  Open& open = open_[rank];
  const bool sensible = report.suspect >= 0 && report.suspect < static_cast<int>(laps_.size()) &&
                        report.suspect != static_cast<int>(rank);
  if (!sensible)
    open.of = -1;
  else if (report.suspect != open.of)
    open = {report.suspect, now, now, laps_[static_cast<std::size_t>(report.suspect)]};
  if (!goes_round(open))
    open.since = now;  // it may compute; once it is back it needs time to answer
  open.repeated = now;
}

bool Suspicions::goes_round(const Open& open) const {
  return open.of >= 0 && laps_[static_cast<std::size_t>(open.of)] >= open.laps + kLaps;
}

bool Suspicions::is_confirmed(const Open& open) const {
  return goes_round(open) && open.repeated - open.since >= kPersistence;
}

std::optional<Suspicions::Suspicion> Suspicions::confirmed() const {
  for (unsigned rank = 0; rank < open_.size(); ++rank)
    if (is_confirmed(open_[rank])) return Suspicion{rank, static_cast<unsigned>(open_[rank].of)};
  return {};
}

void Judge::take(unsigned rank, std::uint32_t wave, const RunReport& report,
                 Clock::time_point now) {
  quiescence_.answer(rank, wave, report);
  standstill_.take(rank, report);
  suspicions_.take(rank, report, now);
}

Verdict Judge::look(Clock::time_point now) {
  if (quiescence_.holds()) return Verdict::quiescent;
  return standstill_.holds(now) ? Verdict::stalled : Verdict::none;
}

}  // namespace toroid::job
