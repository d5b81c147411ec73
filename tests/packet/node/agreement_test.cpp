#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/agreement.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/failure_of.hpp"

namespace toroid {
namespace {

std::optional<Agreement::Difference> compare(const void* a, const void* b) {
  const int of_a = *static_cast<const int*>(a);
  const int of_b = *static_cast<const int*>(b);
  if (of_a == of_b) return {};
  return {{"its value", std::to_string(of_a), std::to_string(of_b)}};
}

Agreement::Fields describe(const void* number) {
  return {{"its value", std::to_string(*static_cast<const int*>(number))}};
}

constexpr Agreement::Kind kNumbers{.name = "number", .compare = compare, .describe = describe};

/// Nodes of a machine of 2x2 that does not run unless a test lets it.
struct Nodes {
  std::unique_ptr<Fabric> fabric = make_sim_fabric(Shape::parse("2x2"), Machine{});
  Runner runner{*fabric};

  /// What a node is told when it makes its next object with this value.
  std::string told(Agreement& agreement, Rank node, int value) {
    return testing::failure_of(
        [&] { agreement.add(runner.node(node), std::make_shared<const int>(value), kNumbers); });
  }
  std::string end_of_run() {
    return testing::failure_of([&] { runner.run([](Node&) { return Program(); }); });
  }
};

TEST(Agreement, ComparesTheObjectsOfNodesInTheOrderInWhichEachMadeThem) {
  Nodes nodes;
  Agreement agreement(4);
  EXPECT_EQ(nodes.told(agreement, 2, 5), "nothing failed");
  EXPECT_EQ(nodes.told(agreement, 2, 6), "nothing failed");
  EXPECT_EQ(nodes.told(agreement, 1, 5), "nothing failed");
  EXPECT_EQ(nodes.told(agreement, 1, 7),
            "nodes disagree on number 2: its value is 6 on node (1,0) and 7 on node (0,1); make "
            "equal numbers in the same order on all nodes");
  EXPECT_EQ(nodes.told(agreement, 3, 5), "nothing failed");
}

TEST(Agreement, DoesNotCompareAnObjectThatNodesShareAndForgetsItInTheEnd) {
  const Agreement::Kind never{
      .name = "number",
      .compare = [](const void*, const void*) -> std::optional<Agreement::Difference> {
        return {{"itself", "one", "another"}};
      },
      .describe = describe};
  Nodes nodes;
  Agreement agreement(4);
  auto shared = std::make_shared<const int>(1);
  for (const Rank node : {0u, 1u, 2u, 3u}) {
    agreement.add(nodes.runner.node(node), shared, never);
    EXPECT_EQ(shared.use_count(), node < 3 ? 2 : 1);
  }
}

/// Two agreements stand for two processes, which own nodes 0 and 1, and nodes 2 and 3.
TEST(Agreement, HearsOnNode0WhatOtherProcessesMake) {
  constexpr const char* kDifferent =
      "node (0,0): nodes disagree on number 2: its value is 7 on node (0,1) and 8 on node (1,0); "
      "make equal numbers in the same order on all nodes";
  Nodes nodes;
  Agreement here(2), there(2);
  here.hear_others(nodes.runner.node(0));
  for (const int value : {5, 7}) EXPECT_EQ(nodes.told(here, 1, value), "nothing failed");
  for (const int value : {5, 8}) EXPECT_EQ(nodes.told(there, 2, value), "nothing failed");
  EXPECT_EQ(nodes.told(there, 3, 5), "nothing failed");  // not described again
  EXPECT_EQ(nodes.end_of_run(), kDifferent);
}

TEST(Agreement, ComparesWhatItHasHeardWithWhatIsMadeLater) {
  Nodes nodes;
  Agreement here(2), there(2);
  here.hear_others(nodes.runner.node(0));
  EXPECT_EQ(nodes.told(there, 3, 8), "nothing failed");
  EXPECT_EQ(nodes.end_of_run(),
            "node (0,0) has not made number 1, which node (1,1) has made; make equal numbers in "
            "the same order on all nodes");
  EXPECT_EQ(nodes.told(here, 0, 9),
            "nodes disagree on number 1: its value is 9 on node (0,0) and 8 on node (1,1); make "
            "equal numbers in the same order on all nodes");
}

TEST(Agreement, PutsTogetherDescriptionsOfManyPackets) {
  const Agreement::Kind long_texts{
      .name = "text", .compare = compare, .describe = [](const void* number) -> Agreement::Fields {
        const int value = *static_cast<const int*>(number);
        Agreement::Fields fields(40, {"a field", std::string(50, 'x')});
        fields.emplace_back("the last field", std::to_string(value));
        return fields;
      }};
  for (const int value : {1, 2}) {
    Nodes nodes;
    Agreement here(2), there(2);
    here.hear_others(nodes.runner.node(0));
    here.add(nodes.runner.node(0), std::make_shared<const int>(1), long_texts);
    there.add(nodes.runner.node(2), std::make_shared<const int>(value), long_texts);
    const std::string end = nodes.end_of_run();
    if (value == 1)
      EXPECT_EQ(end, "nothing failed");
    else
      EXPECT_THAT(end, ::testing::HasSubstr("the last field is 1 on node (0,0) and 2 on node"));
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
