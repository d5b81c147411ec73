// A run that is saved, discarded and resumed gives the same results as an uninterrupted one.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "tests/router/sim/cut_run.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::Outcome;
using testing::Piece;
using testing::TrafficRun;

/// A test case, in which policy, traffic and torus are given as texts.
struct CutCase {
  std::string policy = "random";
  std::string traffic = "all-to-all";
  std::string shape = "4x3x2";
  std::uint64_t bytes = 480;
  unsigned threads = 1;
  bool general = false;
  bool payload = false;
  Rank peers = ~Rank{0};
  Machine machine{};
  FailureList failures{};
  LinkErrors errors{};
  std::string text() const {
    return fmt::format("{} {} {} {} bytes, {} threads, general {}, payload {}, peers {}", policy,
                       traffic, shape, bytes, threads, general, payload, peers);
  }
};

/// Owns the objects that a run refers to.
struct CutRun {
  explicit CutRun(const CutCase& c)
      : shape(c.failures.links.empty() ? Shape::parse(c.shape)
                                       : Shape::parse(c.shape).with_failures(c.failures)),
        traffic(make_traffic(c.traffic, shape, c.bytes, 5)),
        run{shape,
            c.machine,
            policy_by_name(c.policy),
            *traffic,
            {.seed = 7, .payload = c.payload, .peers = c.peers},
            {.routing = {.general = c.general, .link_errors = c.errors},
             .progress = {},
             .threads = c.threads,
             .dma = c.machine.has_dma_engine()}} {}
  Shape shape;
  std::unique_ptr<const Traffic> traffic;
  TrafficRun run;
};

Tick end_of(const Outcome& outcome) {
  return std::get<0>(outcome.counters);
}

/// Cuts the run several times at random cycles. Before each cut a segment ends at a random cycle.
Outcome outcome_of_pieces(const TrafficRun& run, Tick end, std::uint64_t seed, unsigned cuts) {
  Random random(seed);
  std::vector<Tick> at;
  for (unsigned i = 0; i < 2 * cuts; ++i)
    at.push_back(1 + random.below(static_cast<std::uint32_t>(end)));
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  testing::CutAt::Bytes state;
  for (std::size_t i = 1; i < at.size(); i += 2) {
    Piece piece(run, {at[i - 1], at[i]}, state);
    if (piece.ended) return piece.outcome();
    state = piece.cut.state();
  }
  return Piece(run, {}, state).outcome();
}

void expect_resumes(const CutCase& c, std::uint64_t seed = 1, unsigned cuts = 3) {
  const CutRun owner(c);
  const Outcome whole = Piece(owner.run, {}, {}, false).outcome();
  const Outcome pieces = outcome_of_pieces(owner.run, end_of(whole), seed, cuts);
  EXPECT_EQ(pieces, whole) << c.text() << ", seed " << seed;
}

TEST(Checkpoint, ResumesOneThreadOnTheFastModel) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(10u); ++seed)
    expect_resumes({}, seed, 1 + seed % 4);
}

TEST(Checkpoint, ResumesSeveralThreads) {
  for (const unsigned threads : {2u, 3u})
    for (const bool general : {false, true})
      for (std::uint64_t seed = 1; seed <= 4; ++seed)
        expect_resumes({.shape = "6x3x2", .threads = threads, .general = general}, seed);
}

TEST(Checkpoint, ResumesTheGeneralModel) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_resumes({.general = true}, seed);
  expect_resumes({.shape = "2x2x2x2", .threads = 2});
  expect_resumes({.traffic = "neighbour",
                  .shape = "4x4",
                  .failures = {.links = {"(0,0)X+"}, .nodes = {}, .long_ways = true}});
  Machine slow;
  slow.token_return_cycles = 30;
  slow.escape_wait_cycles = 100;
  slow.input_reads = 1;
  for (const unsigned threads : {1u, 2u}) expect_resumes({.threads = threads, .machine = slow});
}

TEST(Checkpoint, ResumesLinksWithErrors) {
  LinkErrors errors;
  errors.rates = {{0.02, ""}};
  errors.burst = 2;
  for (const bool general : {false, true})
    for (const unsigned threads : {1u, 2u})
      expect_resumes({.threads = threads, .general = general, .errors = errors});
}

TEST(Checkpoint, ResumesEveryPolicyThatDoesNotCombine) {
  unsigned saved = 0;
  for (const Policy* const built_in : built_in_policies()) {
    const std::string policy(built_in->name());
    const CutRun owner({.policy = policy});
    const TrafficExchange exchange(owner.run.policy, *owner.traffic, owner.shape, {});
    EXPECT_EQ(exchange.cannot_be_saved().empty(), !owner.run.policy.combines()) << policy;
    if (owner.run.policy.combines()) continue;
    ++saved;
    for (const unsigned threads : testing::full_or(std::vector{1u, 2u}, {1 + saved % 2}))
      expect_resumes({.policy = policy, .threads = threads}, threads);
  }
  EXPECT_LE(12u, saved);
  expect_resumes({.policy = "queues:40", .shape = "4x4x4"});
  expect_resumes({.policy = "windowed:3", .threads = 3});
}

TEST(Checkpoint, ResumesDmaEngines) {
  Machine machine;
  machine.dma_descriptor_cycles = 300;  // the last descriptors are written while packets are in
                                        // flight
  machine.dma_inject_cycles = machine.dma_receive_cycles = 45;
  for (const char* policy : {"random", "windowed:1", "throttled:400", "two-phase"})
    for (const unsigned threads : {1u, 3u})
      expect_resumes({.policy = policy, .threads = threads, .payload = true, .machine = machine},
                     threads);
}

/// Some of the cuts are made while a processor must still see what its engine has moved. An
/// awaiting program asks for a turn then, once.
TEST(Checkpoint, LetsNoProgramAskForATurnTwice) {
  Machine machine;
  machine.dma_descriptor_cycles = 300;
  machine.dma_inject_cycles = machine.dma_receive_cycles = 45;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) expect_resumes({.machine = machine}, seed);
}

TEST(Checkpoint, ResumesEveryKindOfTraffic) {
  unsigned number = 0;
  for (const char* traffic : {"uniform:5", "sample:6", "tornado", "halo", "hotspot", "incast",
                              "permutation", "zipf", "lines:Y", "planes:XY"})
    for (const unsigned threads : testing::full_or(std::vector{1u, 2u}, {1 + ++number % 2}))
      expect_resumes({.traffic = traffic, .shape = "4x4x4", .bytes = 700, .threads = threads},
                     threads);
  expect_resumes({.shape = "4x4x4", .peers = 9});
}

TEST(Checkpoint, KeepsPayloadsInFlight) {
  for (const char* policy : {"random", "valiant", "two-phase", "windowed"})
    for (const unsigned threads : {1u, 2u})
      for (const bool general : {false, true})
        expect_resumes({.policy = policy,
                        .bytes = 1000,
                        .threads = threads,
                        .general = general,
                        .payload = true});
}

TEST(Checkpoint, ResumesBuffersWithMoreShortPacketsThanARecordHolds) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    expect_resumes({.traffic = "incast", .shape = "4x4x4", .bytes = 2400, .threads = 1}, seed);
  expect_resumes({.shape = "4x4x4", .bytes = 8}, 2, 5);
}

TEST(Checkpoint, CanBeTakenAtAnyCycle) {
  const Tick step = testing::is_thorough() ? 7 : 23;
  const CutRun owner({.shape = "2x2", .bytes = 240});
  const Outcome whole = Piece(owner.run, {}, {}, false).outcome();
  for (Tick at = 1; at <= end_of(whole); at += step) {
    Piece first(owner.run, {at});
    ASSERT_FALSE(first.ended);
    EXPECT_EQ(Piece(owner.run, {}, first.cut.state()).outcome(), whole) << "cut at " << at;
  }
}

TEST(Checkpoint, HasTheSameSizeWithAndWithoutAResumeBefore) {
  const CutRun owner({.shape = "4x4x2"});
  const auto straight = Piece(owner.run, {9000}).cut.state();
  const auto once = Piece(owner.run, {5000}).cut.state();
  EXPECT_NE(straight, once);
  EXPECT_EQ(Piece(owner.run, {9000}, once).cut.state().size(), straight.size());
}

TEST(Checkpoint, IsRefusedIfTruncatedOrOfAnotherTorus) {
  const CutRun owner({.shape = "2x2x2"});
  auto state = Piece(owner.run, {3000}).cut.state();
  state.pop_back();
  EXPECT_THROW(Piece(owner.run, {}, state), BadInput);
  const CutRun larger({.shape = "4x2x2"});
  EXPECT_THROW(Piece(larger.run, {}, Piece(owner.run, {3000}).cut.state()), BadInput);
}

}  // namespace
}  // namespace toroid
