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
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::RingMachine;

Program compute(Node& node, milliseconds time) {
  co_await node.barrier();
  if (node.rank() == 1) std::this_thread::sleep_for(time);
  co_await node.barrier();
}

std::vector<std::string> said_while_computing(milliseconds time, milliseconds stall) {
  std::vector<std::string> said;
  RingOptions options;
  options.stall = stall;
  options.notice = [&](const std::string& line) { said.push_back(line); };
  RingMachine rings(Shape::parse("3"), 2, {}, options);
  rings.run([time](Node& node) { return compute(node, time); });
  return said;
}

TEST(SilenceNotice, NamesTheNodeThatComputesForLongOnce) {
  const std::vector<std::string> said = said_while_computing(milliseconds(900), milliseconds(100));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("no packet has been received for 0.2 s; node (1) has not returned "
                                 "from its program; the busiest nodes: "));
  EXPECT_THAT(said[0], HasSubstr("; the run goes on"));
}

TEST(SilenceNotice, SaysNothingOfARunThatMoves) {
  EXPECT_THAT(said_while_computing(milliseconds(0), milliseconds(10000)), ::testing::IsEmpty());
}

}  // namespace
}  // namespace toroid
