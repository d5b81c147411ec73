#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/agreement.hpp"
#include "packet/node/node.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"

namespace toroid {
namespace {

std::optional<Agreement::Difference> compare(const void* a, const void* b) {
  const int of_a = *static_cast<const int*>(a);
  const int of_b = *static_cast<const int*>(b);
  if (of_a == of_b) return {};
  return {{"its value", std::to_string(of_a), std::to_string(of_b)}};
}

/// What a node is told when it makes its next object with this value.
std::string told(Agreement& agreement, Rank node, int value) {
  try {
    agreement.add(Shape::parse("2x2"), node, "number", std::make_shared<const int>(value), compare);
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "nothing";
}

TEST(Agreement, ComparesTheObjectsOfNodesInTheOrderInWhichEachMadeThem) {
  Agreement agreement(4);
  EXPECT_EQ(told(agreement, 2, 5), "nothing");
  EXPECT_EQ(told(agreement, 2, 6), "nothing");
  EXPECT_EQ(told(agreement, 1, 5), "nothing");
  EXPECT_EQ(told(agreement, 1, 7),
            "nodes disagree on number 2: its value is 6 on node (1,0) and 7 on node (0,1); make "
            "equal numbers in the same order on all nodes");
  EXPECT_EQ(told(agreement, 3, 5), "nothing");
}

TEST(Agreement, DoesNotCompareAnObjectThatNodesShareAndForgetsItInTheEnd) {
  const auto never = [](const void*, const void*) -> std::optional<Agreement::Difference> {
    return {{"itself", "one", "another"}};
  };
  Agreement agreement(2);
  auto shared = std::make_shared<const int>(1);
  for (const Rank node : {0u, 1u}) {
    agreement.add(Shape::parse("2"), node, "number", shared, never);
    EXPECT_EQ(shared.use_count(), node == 0 ? 2 : 1);
  }
}

TEST(Agreement, BelongsToARunnerAndItsNodes) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  const auto other = make_sim_fabric(Shape::parse("2"), Machine{});
  Runner runner(*fabric);
  const NodeOptions& options = runner.nodes()[0].options();
  EXPECT_NE(options.agreement, nullptr);
  EXPECT_EQ(runner.nodes()[1].options().agreement, options.agreement);
  Runner second(*other, options);
  EXPECT_NE(second.nodes()[0].options().agreement, options.agreement);
}

}  // namespace
}  // namespace toroid
