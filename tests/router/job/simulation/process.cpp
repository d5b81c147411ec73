#include "tests/router/job/simulation/process.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "router/job/agreement.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/wire.hpp"

namespace toroid::job_simulation {
namespace {

using job::BlobKind;
using termination::Verdict;

constexpr milliseconds kStall{2000};
constexpr milliseconds kComputes{4000};
constexpr std::uint16_t kPort = 1;

Bootstrap bootstrap_of(const Plan& plan, unsigned rank, unsigned size) {
  static const JobKey key(std::string(JobKey::kShortest, 'k'));
  return {.rank = rank,
          .size = size + (plan.fate == Fate::wrong_size ? 1 : 0),
          .key = key,
          .master = {SimulatedStream::address_of(0)},
          .port = kPort,
          .events = nullptr,
          .launcher_has_gone = {}};
}

ProcessInfo info_of(const Plan& plan, unsigned number) {
  return {.host = fmt::format("h{}", plan.host),
          .pid = 100 + static_cast<long>(number),
          .address = {},
          .kernel = fmt::format("k{}", plan.host)};
}

job::Statement statement_of(Input input) {
  switch (input) {
    case Input::refused:
      return {.refusal = "a.npy: no such file"};
    case Input::none:
      return {.values = {{"settings", 1}}};
    case Input::common:
    case Input::other:
      break;
  }
  return {.values = {{"a.npy", input == Input::other ? 2 : 1}, {"settings", 1}}};
}

}  // namespace

Process::Process(Net& net, const Scenario& scenario, unsigned number, unsigned rank,
                 std::uint64_t seed)
    : net_(net),
      scenario_(scenario),
      number_(number),
      rank_(rank),
      random_(seed, 100 + number),
      network_(net, number, 0),
      sent_(scenario.size()),
      received_(scenario.size()),
      lost_(scenario.size()) {}

void Process::start() {
  started_at_ = net_.now();
  if (plan().fate == Fate::wrong_key) net_.set_key(number_, 2);
  member_ = job::make_member(bootstrap_of(plan(), rank_, scenario_.size()), scenario_.options,
                             info_of(plan(), number_), network_);
  member_->begin();
  member_->dial();
}

void Process::die() {
  member_.reset();
  net_.stop_listening(number_);
}

void Process::trouble() {
  if (!troubled_at_) troubled_at_ = net_.now();
}

void Process::turn(const Fabric& fabric) {
  const bool computes = net_.now() < busy_until_;
  if (!computes) ++rounds_;
  member_->dial();
  member_->read();
  ask_monitor();
  member_->check();
  if (const auto why = member_->take_abandonment()) {
    trouble();
    end_program(*why);
    return die();
  }
  if (!has_ended() && !computes) step_program();
  if (phase_ == Phase::running && !computes) exchange_numbers(fabric);
  member_->write();
  note();
  if (member_->has_left()) die();
}

void Process::note() {
  refused_ = member_->refused();
  if (!failed_at_ && !member_->failure().empty()) failed_at_ = net_.now();
}

void Process::ask_monitor() {
  if (!member_->is_report_due()) return;
  for (const unsigned rank : member_->begin_report()) lost_[rank] = true;
  member_->report(state_of_run());
}

termination::MemberReport Process::state_of_run() {
  termination::MemberReport report{.passive = todo_ == 0, .rounds = rounds_};
  for (unsigned rank = 0; rank < lost_.size(); ++rank) {
    if (lost_[rank]) {
      ++report.without;
      continue;
    }
    report.injected += sent_[rank];
    report.delivered += received_[rank];
  }
  report.moved = report.injected + report.delivered;
  return report;
}

// The program.

void Process::step_program() {
  if (!member_->failure().empty() && !member_->has_result()) return end_program(member_->failure());
  if (phase_ == Phase::running) return see_verdict();
  if (phase_ == Phase::joining) {
    if (!member_->has_joined()) return;
    joined_at_ = net_.now();
    return enter(Phase::agreeing);
  }
  const auto blobs = gathered();
  if (!blobs) return;
  if (phase_ != Phase::collecting) return proceed(*blobs);
  if (watch_ < scenario_.runs) return enter(Phase::running);
  end_program("");
}

/// Goes on with what an all_gather has brought; it is empty if the program has called another
/// operation by mistake.
void Process::proceed(const std::vector<Blob>& blobs) {
  if (blobs.empty()) return enter(phase_ == Phase::trying ? Phase::running : Phase::trying);
  if (phase_ == Phase::agreeing) return compare(blobs);
  if (phase_ == Phase::stating) return refuse(job::disagreement(blobs, names()));
  why_not_shared_ = ofi::why_memory_is_not_shared(blobs, names());
  enter(Phase::running);
}

/// The result of the collective that has begun; nullopt while there is none.
std::optional<std::vector<Blob>> Process::gathered() {
  const bool done = member_->is_gathered();
  if (!member_->failure().empty() && !member_->has_result()) end_program(member_->failure());
  if (!done || has_ended()) return {};
  auto parts = member_->take_gathered();
  if (rank_ != 0 || phase_ == Phase::collecting) return parts;
  std::vector<std::size_t> sizes;
  auto all = std::make_shared<Blob>();
  for (const Blob& part : parts) {
    sizes.push_back(part.size());
    all->insert(all->end(), part.begin(), part.end());
  }
  member_->distribute(sizes, all);
  return parts;
}

void Process::refuse(const std::string& why) {
  if (scenario_.tells_difference) member_->fail(why);
  end_program(why);
}

void Process::compare(const std::vector<Blob>& summaries) {
  for (unsigned rank = 0; rank < scenario_.size(); ++rank)
    if (summaries[rank] != job::summary_of(statement_of(scenario_.plans[rank].input)))
      throw Violation(fmt::format("process {} has got wrong bytes of process {}", rank_, rank));
  enter(job::do_agree(summaries) ? Phase::trying : Phase::stating);
}

job::NameOf Process::names() const {
  return [this](unsigned rank) { return member_->name(rank); };
}

void Process::enter(Phase phase) {
  if (phase_ == Phase::running) member_->end_watch();
  phase_ = phase;
  busy_until_ = net_.now() + microseconds(random_.below(random_.below(4) == 0 ? 60'000 : 2'000));
  const bool differs = strike(phase);
  if (has_ended()) return;
  const auto kind = differs || phase == Phase::collecting ? BlobKind::gather : BlobKind::all_gather;
  const job::Statement statement = statement_of(plan().input);
  if (phase == Phase::agreeing) member_->begin_gather(kind, job::summary_of(statement));
  if (phase == Phase::stating) member_->begin_gather(kind, job::packed(statement));
  if (phase == Phase::trying) member_->begin_gather(kind, ofi::packed(try_memory()));
  if (phase == Phase::running) begin_watch();
  if (phase == Phase::collecting)
    member_->begin_gather(differs ? BlobKind::all_gather : kind, Blob(1 + random_.below(5000)));
}

/// Lets the fate of the program happen. Returns whether the program calls another collective
/// operation than the others.
bool Process::strike(Phase phase) {
  const Fate fate = plan().fate;
  const bool is_due = static_cast<unsigned>(phase) >= plan().phase && !struck_;
  const bool is_mistake = fate == Fate::mistakes && phase != Phase::running;
  if (is_due && fate == Fate::computes) busy_until_ = net_.now() + kComputes, struck_ = true;
  if (!is_due || !(is_mistake || fate == Fate::fails || fate == Fate::leaves)) return false;
  struck_ = true;
  trouble();
  if (fate == Fate::fails) member_->fail("broken");
  if (fate == Fate::leaves) end_program("leaves");
  return is_mistake;
}

ofi::TrialFindings Process::try_memory() const {
  ofi::TrialFindings found;
  for (unsigned rank = 0; rank < scenario_.size(); ++rank) {
    found.reads += scenario_.can_read(rank_, rank) ? ofi::TrialFindings::kReads
                                                   : ofi::TrialFindings::kCannotRead;
    if (!scenario_.can_open(rank_, rank) && found.why.empty())
      found.why = member_->name(rank_) + " cannot open the file of " + member_->name(rank);
  }
  return found;
}

void Process::begin_watch() {
  ++watch_;
  todo_ = random_.below(scenario_.numbers + 1);
  if (scenario_.stalls && rank_ == scenario_.size() - 1) ++todo_;
  answers_ = random_.below(5);
  std::fill(sent_.begin(), sent_.end(), 0);
  std::fill(received_.begin(), received_.end(), 0);
  member_->begin_watch(kStall, scenario_.on_loss);
}

void Process::exchange_numbers(const Fabric& fabric) {
  std::erase_if(inbox_, [&](const Number& number) {
    if (number.watch != watch_ || number.due > net_.now()) return number.watch < watch_;
    ++received_[number.from];
    if (answers_ > 0 && !lost_[number.from]) --answers_, ++todo_;
    return true;
  });
  const bool holds = scenario_.stalls && rank_ == scenario_.size() - 1 && todo_ == 1;
  if (holds || todo_ == 0 || random_.below(3) == 0) return;
  --todo_;
  const unsigned to = random_.below(scenario_.size());
  if (to == rank_ || lost_[to]) return;
  ++sent_[to];
  fabric[to]->take_number(rank_, watch_, net_.now() + microseconds(random_.below(8000)));
}

void Process::take_number(unsigned from, std::uint32_t watch, Clock::time_point due) {
  inbox_.push_back({from, watch, due});
}

void Process::see_verdict() {
  const Verdict verdict = member_->verdict();
  if (verdict == Verdict::none) return;
  std::string losses;
  for (const Loss& loss : member_->losses()) losses += loss.why + "; ";
  ends_.push_back({verdict, losses});
  if (verdict == Verdict::stalled) return end_program("stalled");
  enter(Phase::collecting);
}

void Process::end_program(std::string why) {
  if (phase_ == Phase::running) member_->end_watch();
  outcome_ = std::move(why);
  ended_at_ = net_.now();
  note();
  phase_ = Phase::ended;
  member_->leave();
}

}  // namespace toroid::job_simulation
