#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <utility>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tests/router/shm/affinity.hpp"

namespace toroid {
namespace {

WorkerPlace place_on(std::vector<unsigned> pus) {
  return {.core = 0, .package = 0, .numa = 0, .pus = std::move(pus), .nodes = {0}};
}

TEST(Binding, HoldsAWorkerOnTheProcessorsOfItsCore) {
  const auto placement =
      place(HostTopology::of_this_machine(), Shape::parse("8x8"), 0, Binding::core);
  for (const WorkerPlace& worker : placement.workers)
    testing::in_a_thread([&] {
      ASSERT_TRUE(bind_this_thread(worker));
      EXPECT_THAT(testing::affinity(), ::testing::UnorderedElementsAreArray(worker.pus));
      EXPECT_THAT(worker.pus, ::testing::Contains(static_cast<unsigned>(::sched_getcpu())));
    });
}

TEST(Binding, DoesNothingForAWorkerWithoutProcessors) {
  const auto before = testing::affinity();
  EXPECT_TRUE(bind_this_thread(place_on({})));
  EXPECT_EQ(testing::affinity(), before);
}

TEST(Binding, ToAMissingProcessorFailsAndChangesNothing) {
  const auto before = testing::affinity();
  EXPECT_FALSE(bind_this_thread(place_on({100000})));
  EXPECT_EQ(testing::affinity(), before);
}

}  // namespace
}  // namespace toroid
