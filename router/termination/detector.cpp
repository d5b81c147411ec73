#include "router/termination/detector.hpp"

#include <algorithm>
#include <utility>

namespace toroid::termination {

/// The number of packets injected, if the wave is complete and balanced; otherwise none.
std::optional<std::uint64_t> Quiescence::balance(const Wave& wave) const {
  std::uint64_t injected = 0;
  std::uint64_t delivered = 0;
  for (std::size_t member = 0; member < wave.size(); ++member) {
    if (is_lost_[member]) continue;
    const auto& report = wave[member];
    if (!report || !report->passive) return {};
    injected += report->injected;
    delivered += report->delivered;
  }
  return injected == delivered ? std::optional(injected) : std::nullopt;
}

bool Quiescence::is_complete(const Wave& wave) const {
  for (std::size_t member = 0; member < wave.size(); ++member)
    if (!is_lost_[member] && !wave[member]) return false;
  return true;
}

void Quiescence::report(std::size_t member, const MemberReport& report, std::uint32_t wave) {
  if (is_lost_[member] || report.without != losses_) return;
  latest_[member] = report;
  if (asking_ && wave == wave_) answers_[member] = report;
}

bool Quiescence::holds() {
  if (!asking_) {
    if (const auto injected = balance(latest_)) ask(*injected);
    return false;
  }
  if (!is_complete(answers_)) return false;
  asking_ = false;
  return balance(answers_) == std::optional(first_);
}

void Quiescence::ask(std::uint64_t injected) {
  first_ = injected;
  ++wave_;
  asking_ = true;
  std::fill(answers_.begin(), answers_.end(), std::nullopt);
}

void Quiescence::lose(std::size_t member) {
  if (is_lost_[member]) return;
  is_lost_[member] = true;
  ++losses_;
  asking_ = false;
  std::fill(latest_.begin(), latest_.end(), std::nullopt);
}

void StallWatch::lose(std::size_t member) {
  is_lost_[member] = true;
  still_ = -1;
}

bool StallWatch::holds(Clock::time_point now) {
  if (now - sampled_at_ < period_ || !all_reported()) return false;
  sampled_at_ = now;
  still_ = moved_or_busy() ? 0 : still_ + 1;
  return still_ >= kSamples;
}

bool StallWatch::all_reported() const {
  for (std::size_t member = 0; member < latest_.size(); ++member)
    if (!is_lost_[member] && !latest_[member]) return false;
  return true;
}

/// Whether a member has moved anything, or has not completed a round, since the previous sample.
/// The latest reports become the next sample.
bool StallWatch::moved_or_busy() {
  bool busy = still_ < 0;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (std::size_t member = 0; member < sampled_.size(); ++member) {
    if (is_lost_[member]) continue;
    before += sampled_[member].moved;
    after += latest_[member]->moved;
    busy |= latest_[member]->rounds <= sampled_[member].rounds;
    sampled_[member] = *std::exchange(latest_[member], std::nullopt);
  }
  return busy || before != after;
}

void TerminationDetector::report(std::size_t member, const MemberReport& report,
                                 std::uint32_t wave) {
  quiescence_.report(member, report, wave);
  stall_.report(member, report);
}

void TerminationDetector::lose(std::size_t member) {
  quiescence_.lose(member);
  stall_.lose(member);
}

}  // namespace toroid::termination
