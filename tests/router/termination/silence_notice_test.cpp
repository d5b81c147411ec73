// The line that says that a run has been silent for long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::RingMachine;

/// Sends packets to and fro for some time; then node 1 computes for long, if it is to.
Program talk(Node& node, bool computes) {
  for (int i = 0; i < 60; ++i) {
    if (node.rank() == 0) std::this_thread::sleep_for(milliseconds(10));
    co_await node.barrier();
  }
  if (computes && node.rank() == 1) std::this_thread::sleep_for(milliseconds(1500));
  co_await node.barrier();
}

std::vector<std::string> said(bool computes) {
  std::vector<std::string> lines;
  RingOptions options;
  options.stall = milliseconds(200);
  options.notice = [&](const std::string& line) { lines.push_back(line); };
  RingMachine rings(Shape::parse("3"), 2, {}, options);
  rings.run([computes](Node& node) { return talk(node, computes); });
  return lines;
}

TEST(SilenceNotice, NamesTheNodeThatComputesForLongOnce) {
  const std::vector<std::string> lines = said(true);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              HasSubstr("no packet has been received for 0.4 s; node (1) has not returned "
                        "from its program; the busiest nodes: "));
  EXPECT_THAT(lines[0], HasSubstr("; the run goes on"));
}

TEST(SilenceNotice, SaysNothingOfARunThatMoves) {
  EXPECT_THAT(said(false), ::testing::IsEmpty());
}

}  // namespace
}  // namespace toroid
