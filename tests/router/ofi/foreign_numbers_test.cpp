// Numbers from another process are checked before they are used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/node_counters.hpp"
#include "router/ofi/provider_choice.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid {
namespace {

using testing::failure_of;
using ::testing::HasSubstr;

/// Counters of some nodes of a torus of two, with one counter of each kind per node.
ofi::NodeCounters counters_of(std::vector<Rank> nodes) {
  ofi::NodeCounters counters{.nodes = std::move(nodes)};
  counters.links.resize(counters.nodes.size());
  counters.fifos.resize(counters.nodes.size());
  counters.totals.resize(counters.nodes.size());
  return counters;
}

std::string merging(const std::vector<Blob>& packed) {
  return failure_of([&] { ofi::merged(Shape::parse("2"), packed); });
}

TEST(NodeCounters, AreMergedFromAllProcesses) {
  ofi::NodeCounters first = counters_of({0}), second = counters_of({1});
  second.links[0].wire_bytes = 7;
  second.totals[0].finished = 9;
  const FabricCounters all = ofi::merged(Shape::parse("2"), {first.pack(), second.pack()});
  EXPECT_EQ(all.links.size(), 2u);
  EXPECT_EQ(all.links[1].wire_bytes, 7u);
  ASSERT_EQ(all.nodes.size(), 2u);
  EXPECT_EQ(all.nodes[1].finished, 9u);
}

TEST(NodeCounters, AreRefusedIfTheyDoNotFitTheMachine) {
  const std::string refused = "a process sent counters that do not fit this machine";
  EXPECT_EQ(merging({counters_of({2}).pack()}), refused);
  EXPECT_EQ(merging({counters_of({}).pack()}), refused);
  ofi::NodeCounters uneven = counters_of({0, 1});
  uneven.links.pop_back();
  EXPECT_EQ(merging({uneven.pack()}), refused);
  ofi::NodeCounters longer = counters_of({1});
  longer.fifos.resize(3);
  EXPECT_EQ(merging({counters_of({0}).pack(), longer.pack()}), refused);
  const Blob whole = counters_of({0, 1}).pack();
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    EXPECT_EQ(merging({Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))}),
              refused);
}

ofi::FlowHealth flow(unsigned peer) {
  return {.peer = peer,
          .sent = 2,
          .repeats = 0,
          .sent_crcs = {1, 2},
          .received = 1,
          .refused = 0,
          .received_crc = 1};
}

std::string judging(const ofi::FlowHealth& first, const ofi::FlowHealth& second) {
  return failure_of([&] { ofi::unpack_and_judge({ofi::pack({first}), ofi::pack({second})}); });
}

TEST(FrameFlowHealth, IsRefusedIfTheProcessesContradictEachOther) {
  const std::string refused =
      "a process sent statistics of frames that do not fit those of the others";
  EXPECT_EQ(judging(flow(1), flow(0)), "nothing failed");
  EXPECT_EQ(judging(flow(1), flow(2)), refused);
  ofi::FlowHealth receives_more = flow(0), has_no_crcs = flow(0);
  receives_more.received = 3;
  has_no_crcs.sent_crcs.clear();
  EXPECT_EQ(judging(flow(1), receives_more), refused);
  EXPECT_EQ(judging(flow(1), has_no_crcs), refused);
  Blob cut = ofi::pack({flow(1)});
  for (; cut.size() > 1; cut.pop_back())
    EXPECT_EQ(failure_of([&] {
                Blob shorter(cut.begin(), cut.end() - 1);
                ofi::unpack_and_judge({shorter, ofi::pack({flow(0)})});
              }),
              refused);
}

TEST(Blob, OfAWrongLengthIsRefused) {
  EXPECT_EQ(failure_of([] { value_of<std::uint64_t>(Blob(7)); }),
            "another process sent 7 bytes; expected 8");
}

TEST(OfiProviders, RefuseFrameLengthThatDoesNotAlign) {
  const auto outcomes = testing::run_job(2, [](Job& job) {
    ofi::preference_of_all(job, {true, true, job.rank() == 0 ? 4096u : 100u});
  });
  for (const std::string& outcome : outcomes)
    EXPECT_THAT(outcome, HasSubstr("wants frames of 100 bytes"));
}

}  // namespace
}  // namespace toroid
