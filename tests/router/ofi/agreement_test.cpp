// All processes of a job make the same fabric; otherwise all refuse before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/ofi/agreement.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/ofi/ofi_machine.hpp"

namespace toroid {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using testing::EmulatedMachine;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// What a process passes to make_ofi_fabric().
struct Inputs {
  Shape shape = Shape::parse("4x2");
  Machine machine{};
  OfiOptions options{};
  bool places_itself = true;
};
using Change = std::function<void(Inputs&)>;

/// The error messages of three processes, of which the last passes other inputs.
std::vector<std::string> texts_of(const Change& change) {
  return testing::run_job(3, [&](Job& job) {
    Inputs mine;
    if (job.rank() == 2) change(mine);
    try {
      ofi::refuse_different(job, {mine.shape, mine.machine, mine.options, mine.places_itself});
    } catch (const BadInput&) {
      EXPECT_EQ(job.failure(), "");
      throw;
    }
  });
}

TEST(OfiInputs, NamesEachInputThatDiffersWithBothValues) {
  struct Case {
    Change change;
    std::string theirs, ours;
  };
  const Case cases[] = {
      {[](Inputs& i) { i.shape = Shape::parse("4x2m"); }, "torus 4x2m", "torus 4x2"},
      {[](Inputs& i) {
         i.shape = i.shape.with_failures(FailureList{.links = {"(0,0)X+"}, .nodes = {}});
       },
       "failed links '(0,0)X+'", "failed links ''"},
      {[](Inputs& i) { i.machine.hop_latency_cycles = 70; }, "machine key hop_latency_cycles = 70",
       "machine key hop_latency_cycles = 69"},
      {[](Inputs& i) { i.machine.ring_slots = 9; }, "machine key ring_slots = 9",
       "machine key ring_slots = 0"},
      {[](Inputs& i) { i.options.ring.route = RingRoute::direct; }, "route direct", "route torus"},
      {[](Inputs& i) { i.options.ring.tying = FifoTying::any; }, "tying any",
       "tying per-direction"},
      {[](Inputs& i) {
         i.options.ring.routing.link_errors.rates = {{0.25, ""}};
       },
       "link errors '0.25@'", "link errors ''"},
      {[](Inputs& i) { i.options.frames = FrameWay::writes; }, "frames writes", "frames auto"},
      {[](Inputs& i) { i.options.provider = "a\nb"; }, "provider 'a?b'", "provider ''"},
      {[](Inputs& i) { i.options.on_loss = OnLoss::go_on; }, "on_loss go_on", "on_loss fail"},
      {[](Inputs& i) { i.places_itself = false; }, "a placement of the caller",
       "its own placement"}};
  for (const Case& c : cases)
    EXPECT_THAT(
        texts_of(c.change),
        Each(AllOf(MatchesRegex("process 2 \\(host .*\\) has .*, but process 0 \\(host .*\\) "
                                "has .*; all processes of a job must make the same fabric"),
                   HasSubstr(") has " + c.theirs + ", but process 0"),
                   HasSubstr(") has " + c.ours + ";"))));
}

TEST(OfiInputs, AcceptsEqualInputs) {
  EXPECT_THAT(texts_of([](Inputs&) {}), Each(""));
  EXPECT_THAT(texts_of([](Inputs& inputs) { inputs.machine.name = "a copy"; }), Each(""));
}

TEST(OfiInputs, IsCheckedBeforeTheFabricIsMade) {
  const auto outcomes = testing::run_job(2, [](Job& job) {
    make_ofi_fabric(job, Shape::parse(job.rank() == 0 ? "1" : "4"), Machine{},
                    {.provider = "smoke signals"});
  });
  EXPECT_THAT(outcomes, Each(HasSubstr("has torus 4, but process 0")));
}

TEST(OfiFabric, PlacesItselfOnItsShareOfTheCores) {
  const auto outcomes = testing::run_job(3, [](Job& job) {
    OfiOptions options{.provider = testing::kMainProvider};
    options.ring.stall = std::chrono::milliseconds(120'000);
    EmulatedMachine machine(make_ofi_fabric(job, Shape::parse("3x2"), Machine{}, options));
    testing::exchange_tagged(machine, 5);
    EXPECT_EQ(machine.ranks().size(), 2u);
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(OfiFabric, RefusesMoreProcessesThanNodesIfItPlacesItself) {
  const auto outcomes =
      testing::run_job(3, [](Job& job) { make_ofi_fabric(job, Shape::parse("2"), Machine{}); });
  EXPECT_THAT(outcomes, Each(HasSubstr("3 processes for the 2 nodes of torus 2")));
}

}  // namespace
}  // namespace toroid
