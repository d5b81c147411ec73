#include "tests/router/ofi/simulation/world.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "hal/counters.hpp"
#include "router/job/blob.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr microseconds kStep{8};
/// Steps without motion after which the clock runs faster.
constexpr unsigned kStill = 12;
constexpr milliseconds kLongestTrouble{5000};
/// After trouble with a process has ended, it may remain suspected for this long.
constexpr milliseconds kSuspectLasts{3600};
constexpr seconds kNamedWithin{10};
constexpr seconds kSettlesWithin{600};
constexpr std::uint64_t kSettlingSteps = 3'000'000;

}  // namespace

World::Process::Process(Network& network, const Scenario& scenario, unsigned self,
                        std::uint64_t seed)
    : buffers(scenario.processes - 1, scenario.limits),
      end(network, self),
      faulty(end, scenario.errors, seed, self, scenario.processes),
      gateway(scenario.has_faulty_transport ? static_cast<ofi::Transport&>(faulty) : end, buffers,
              self, scenario, seed) {}

World::World(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario),
      random_(seed, 3),
      network_(scenario, seed),
      cut_until_(std::size_t{scenario.processes} * scenario.processes),
      last_trouble_(cut_until_.size()),
      detector_(scenario.processes, std::chrono::hours(1), network_.now()),
      reports_(scenario.processes),
      wishes_(scenario.processes) {
  for (unsigned p = 0; p < scenario.processes; ++p)
    processes_.push_back(std::make_unique<Process>(network_, scenario, p, seed));
}

void World::run(Tally& tally) {
  while (steps_ < scenario_.lengths.steps) step();
  finish();
  add_to(tally);
}

void World::step() {
  ++steps_;
  if (has_faults_) strike();
  step_job();
  unsigned p = random_.below(count());
  if (p == 0 && scenario_.has_slow_process && random_.below(20) != 0) p = 1;
  if (is_running(p))
    take_turn(p);
  else
    tick(false);
}

void World::tick(bool moved) {
  still_ = moved ? 0 : still_ + 1;
  Clock::duration most = kStep * scenario_.slowness;
  if (still_ >= kStill) most = std::max<Clock::duration>(most, scenario_.lengths.idle_step);
  network_.advance(
      std::chrono::nanoseconds(random_.below(static_cast<std::uint32_t>(most.count()))));
}

void World::take_turn(unsigned p) {
  StreamGateway& gateway = this->gateway(p);
  const std::uint64_t before = gateway.injected();
  gateway.produce();
  const bool moved = gateway.step(random_.coin());
  tick(moved || gateway.injected() != before);
  check_flows(p);
  check_suspect(p);
  if (random_.below(scenario_.lengths.report_every) == 0) report(p, 0);
}

// Faults of processes.

void World::strike() {
  const ProcessFaults& faults = scenario_.process;
  const std::uint32_t draw = random_.below(1'000'000);
  if (draw < faults.pause) return pause_one();
  if (draw < faults.pause + faults.partition) return cut_one();
  if (draw < faults.pause + faults.partition + faults.death) bury_one();
}

void World::note_trouble(unsigned a, unsigned b) {
  const Clock::time_point now = network_.now();
  for (Clock::time_point* last : {&last_trouble_[a * count() + b], &last_trouble_[b * count() + a]})
    *last = std::max(*last, now);
}

void World::pause_one() {
  Process& paused = process(random_.below(count()));
  paused.paused_until =
      network_.now() +
      milliseconds(random_.below(static_cast<std::uint32_t>(kLongestTrouble.count())));
}

void World::cut_one() {
  const unsigned from = random_.below(count());
  const unsigned to = random_.below(count());
  cut_until_[from * count() + to] =
      network_.now() +
      milliseconds(random_.below(static_cast<std::uint32_t>(kLongestTrouble.count())));
  network_.cut(from, to, true);
}

void World::bury_one() {
  if (dead_ >= 0) return;
  dead_ = static_cast<int>(random_.below(count()));
  process(static_cast<unsigned>(dead_)).is_dead = true;
  network_.bury(static_cast<unsigned>(dead_));
  for (unsigned p = 0; p < count(); ++p) gateway(p).forget(static_cast<unsigned>(dead_));
}

void World::heal() {
  has_faults_ = false;
  network_.heal();
  for (auto& process : processes_) {
    process->paused_until = {};
    process->faulty.heal();
    process->gateway.hurry();
  }
}

// Rules that must hold at every step.

void World::check_flows(unsigned p) {
  for (unsigned q = 0; q < count(); ++q) {
    if (q == p) continue;
    check_flow(p, q);
    check_flow(q, p);
    if (is_running(q) && network_.is_cut(p, q) && cut_until_[p * count() + q] <= network_.now())
      network_.cut(p, q, false);
    if (!is_running(q) || network_.is_cut(p, q) || network_.is_cut(q, p)) note_trouble(p, q);
  }
}

/// Compares the sender's counts with the receiver's and with the receiver's actions.
void World::check_flow(unsigned from, unsigned to) {
  const ofi::Outflow& out = gateway(from).outflow(to);
  const ofi::Inflow& in = gateway(to).inflow(from);
  const std::uint64_t acknowledged = out.sent() - out.in_flight();
  const bool holds = out.in_flight() <= out.sent() && out.sent() - out.freed() <= out.window() &&
                     out.freed() <= in.freed() && acknowledged <= in.received() &&
                     in.freed() <= gateway(to).frames_released(from) &&
                     in.freed() <= in.received() && in.received() <= out.sent() &&
                     gateway(to).received(from) <= gateway(from).sent(to);
  check_held(out, in);
  if (!holds)
    throw Violation(fmt::format(
        "from {} to {}: sent {}, acknowledged {}, known as freed {}, window {}; received {}, freed "
        "{}, released {}",
        from, to, out.sent(), acknowledged, out.freed(), out.window(), in.received(), in.freed(),
        gateway(to).frames_released(from)));
}

/// If the receiver has reported that it holds a frame after a gap, it still holds that frame or has
/// delivered it since.
void World::check_held(const ofi::Outflow& out, const ofi::Inflow& in) {
  if (out.kept() == nullptr) return;
  for (std::uint64_t sequence = in.received() + 1; sequence <= out.sent(); ++sequence)
    if (out.kept()->is_held(sequence) &&
        (sequence == in.received() + 1 || (in.held() >> (sequence - in.received() - 2) & 1) == 0))
      throw Violation(fmt::format("frame {} is not held", sequence));
}

/// A process must not suspect another that answers, except for a while after trouble between the
/// two, or after it was stopped itself and heard nobody.
void World::check_suspect(unsigned p) {
  const int suspect = gateway(p).suspect();
  if (suspect < 0 || suspect == dead_) return;
  const auto trouble = last_trouble_[p * count() + static_cast<unsigned>(suspect)];
  if (network_.now() - std::max(trouble, process(p).paused_until) > kSuspectLasts)
    throw Violation(fmt::format("process {} suspects process {}, which answers", p, suspect));
}

// The job: reports travel late and in order.

void World::report(unsigned p, std::uint32_t wave) {
  const StreamGateway& gateway = this->gateway(p);
  const Clock::time_point due =
      network_.now() + microseconds(random_.below(scenario_.report_delay));
  reports_[p].push_back({due,
                         {.passive = gateway.is_passive(),
                          .injected = gateway.injected(),
                          .delivered = gateway.delivered(),
                          .moved = gateway.injected() + gateway.delivered(),
                          .rounds = steps_},
                         wave});
}

void World::step_job() {
  const unsigned p = random_.below(count());
  while (!reports_[p].empty() && reports_[p].front().due <= network_.now()) {
    detector_.report(p, reports_[p].front().report, reports_[p].front().wave);
    reports_[p].pop_front();
    judge();
  }
  while (!wishes_[p].empty() && wishes_[p].front().due <= network_.now() && is_running(p)) {
    report(p, wishes_[p].front().wave);
    wishes_[p].pop_front();
  }
}

void World::judge() {
  if (dead_ >= 0 || is_over_) return;
  if (detector_.is_quiescent()) {
    is_over_ = true;
    std::uint64_t under_way = 0;
    for (unsigned p = 0; p < count(); ++p) {
      under_way += gateway(p).injected() - gateway(p).delivered();
      if (!gateway(p).is_passive())
        throw Violation(fmt::format("the run counts as over, but process {} is active", p));
    }
    if (under_way != 0) throw Violation("the run counts as over, but numbers are in flight");
    return;
  }
  if (detector_.wanted_wave() == wave_ || detector_.wanted_wave() == 0) return;
  wave_ = detector_.wanted_wave();
  for (auto& wishes : wishes_)
    wishes.push_back({network_.now() + microseconds(random_.below(scenario_.report_delay)), wave_});
}

// The end of a run.

bool World::is_settled(unsigned p) {
  for (unsigned q = 0; q < count(); ++q)
    if (q != p && static_cast<int>(q) != dead_ && !gateway(p).is_at_rest(q)) return false;
  return gateway(p).frames_held() == 0;
}

bool World::is_settled() {
  if (dead_ < 0 && (!is_over_ || !network_.is_empty())) return false;
  for (unsigned p = 0; p < count(); ++p)
    if (!process(p).is_dead && !is_settled(p)) return false;
  return true;
}

void World::finish() {
  heal();
  settle();
  if (dead_ >= 0) return check_dead_is_suspected();
  check_silence();
  check_buffers();
  check_refusals();
  check_health();
}

void World::settle() {
  const Clock::time_point end = network_.now() + kSettlesWithin;
  const std::uint64_t last = steps_ + kSettlingSteps;
  while (!is_settled()) {
    for (int i = 0; i < 16; ++i) step();
    if (steps_ > last || network_.now() > end) throw Violation("the run does not end");
  }
}

void World::check_buffers() {
  for (unsigned p = 0; p < count(); ++p)
    if (network_.receiving(p) != process(p).buffers.inward().size())
      throw Violation(fmt::format("of {} buffers of process {} only {} wait for a frame",
                                  process(p).buffers.inward().size(), p, network_.receiving(p)));
}

void World::check_refusals() {
  ofi::RefusedFrames sum{};
  std::uint64_t faults = network_.corrupted();
  for (unsigned p = 0; p < count(); ++p) {
    const ofi::RefusedFrames refused = gateway(p).refused();
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += refused[e];
    faults += process(p).faulty.faults();
  }
  const auto of = [&](ofi::FrameError error) { return sum[static_cast<std::size_t>(error)]; };
  const std::uint64_t damaged = of(ofi::FrameError::malformed) + of(ofi::FrameError::bad_checksum);
  const bool is_exact = !scenario_.has_faulty_transport;
  if (damaged > faults || (is_exact && damaged != faults))
    throw Violation(fmt::format("{} frames were damaged, {} refused as damaged", faults, damaged));
  if (of(ofi::FrameError::wrong_job) + of(ofi::FrameError::bad_packet) +
          of(ofi::FrameError::bad_part) >
      0)
    throw Violation("valid frames were refused (wrong job, packet or part)");
  if (!scenario_.limits.checked && of(ofi::FrameError::wrong_sequence) > 0)
    throw Violation(
        "frames were refused by their number on a network that does not lose or copy frames");
}

void World::check_health() {
  if (!scenario_.limits.checked) return;
  std::vector<Blob> packed;
  for (unsigned p = 0; p < count(); ++p) packed.push_back(ofi::pack(gateway(p).health()));
  std::uint64_t damaged = 0;
  for (unsigned p = 0; p < count(); ++p)
    for (unsigned q = 0; q < count(); ++q) damaged += gateway(p).damaged(q) > 0 ? 1 : 0;
  std::uint64_t mismatches = 0;
  for (const LinkHealth& way : ofi::unpack_and_judge(packed))
    mismatches += way.sent_crc != way.received_crc ? 1 : 0;
  if (mismatches != damaged)
    throw Violation(fmt::format("{} flows delivered damage, {} have different CRCs at their ends",
                                damaged, mismatches));
}

/// Nothing may be sent any more, once late acknowledgements have arrived.
void World::check_silence() {
  for (unsigned i = 0; i < scenario_.lengths.crossing; ++i) step();
  const std::uint64_t frames = network_.frames();
  for (unsigned i = 0; i < scenario_.lengths.silence; ++i) step();
  if (network_.frames() != frames) throw Violation("frames are sent though all is acknowledged");
}

void World::check_dead_is_suspected() {
  const auto dead = static_cast<unsigned>(dead_);
  const Clock::time_point end = network_.now() + kNamedWithin;
  const auto is_named = [&](unsigned p) {
    return p == dead || gateway(p).in_flight(dead) == 0 || gateway(p).suspect() == dead_;
  };
  for (unsigned p = 0; p < count(); ++p)
    while (!is_named(p)) {
      step();
      network_.advance(scenario_.lengths.idle_step / 4);
      if (network_.now() > end)
        throw Violation(fmt::format("process {} does not suspect dead process {}", p, dead));
    }
}

void World::add_to(Tally& tally) {
  ++tally.runs;
  tally.steps += steps_;
  tally.frames += network_.frames();
  for (unsigned p = 0; p < count(); ++p) {
    tally.numbers += gateway(p).delivered();
    for (const ofi::FlowHealth& flow : gateway(p).health()) {
      tally.repeats += flow.repeats;
      tally.refused += flow.refused;
    }
  }
}

}  // namespace toroid::simulation
