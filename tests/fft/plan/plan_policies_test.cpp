// A plan computes the same bits under every policy and every setting, on every fabric.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/packet/broken_policy.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid::fft {
namespace {

using testing::BrokenPolicy;
using testing::equal_bits;
using testing::noise_of;

/// A transform on a torus.
struct Transform {
  const char* torus;
  Description description;

  std::string text() const {
    return fmt::format("{} on {}{}", testing::text_of(description), torus,
                       description.first == Way::backward ? " backward" : "");
  }
};

/// One node's arrays. After the run they hold the results of all calls.
template <typename In, typename Out>
struct Caller {
  Caller(Node& node, const std::shared_ptr<const Blueprint>& blueprint)
      : plan(node, blueprint),
        in(noise_of<In>(plan.input_size(), 1 + node.rank())),
        out(noise_of<Out>(plan.output_size(), 100 + node.rank())),
        there(2, out),
        back(2, in) {}
  bool repeats() const { return equal_bits(there[0], there[1]) && equal_bits(back[0], back[1]); }
  Plan plan;
  std::vector<In> in;
  std::vector<Out> out;
  std::vector<std::vector<Out>> there;  ///< result of each forward call
  std::vector<std::vector<In>> back;    ///< result of each backward call
};

/// Calls both directions in turn, twice, with the same input.
template <typename In, typename Out>
Program call_both_ways(Node&, Caller<In, Out>& self) {
  const bool backward = self.plan.blueprint().description().first == Way::backward;
  for (std::size_t call = 0; call < 2; ++call) {
    if (backward) co_await self.plan.backward(self.out, self.back[call], Scale::by_n);
    co_await self.plan.forward(self.in, self.there[call]);
    if (!backward) co_await self.plan.backward(self.out, self.back[call], Scale::by_n);
  }
}

/// The results of all nodes, one node after the other.
template <typename In, typename Out>
struct Results {
  std::vector<Out> there{};
  std::vector<In> back{};
};

using MakeFabric = std::function<std::unique_ptr<Fabric>(const Shape&, const PolicySettings&)>;

/// A machine that supports every tie rule.
Machine hardware() {
  Machine machine;
  machine.both_hints = 1;
  return machine;
}
std::unique_ptr<Fabric> on_model(const Shape& shape, const PolicySettings& settings) {
  SimOptions options;
  options.tying = settings.tying;
  return make_sim_fabric(shape, hardware(), options);
}
std::unique_ptr<Fabric> on_engines(const Shape& shape, const PolicySettings& settings) {
  Machine machine = hardware();
  machine.dma_descriptor_cycles = 100;
  machine.dma_inject_cycles = machine.dma_receive_cycles = 45;
  SimOptions options;
  options.tying = settings.tying;
  options.dma = true;
  return make_sim_fabric(shape, machine, options);
}
template <RingRoute route>
std::unique_ptr<Fabric> on_rings(const Shape& shape, const PolicySettings& settings) {
  RingOptions options = testing::routed(route);
  options.tying = settings.tying;
  return testing::ring_fabric(shape, 2, options, hardware());
}
const std::vector<MakeFabric> kFabrics = {on_model, on_engines, on_rings<RingRoute::torus>,
                                          on_rings<RingRoute::direct>};

template <typename In, typename Out>
Results<In, Out> results_of(const Transform& transform, const NodeOptions& asked,
                            const MakeFabric& make = on_model) {
  const Shape shape = Shape::parse(transform.torus);
  const auto blueprint = std::make_shared<const Blueprint>(transform.description, shape);
  const NodeOptions options = node_options(*blueprint, hardware(), asked);
  const auto fabric = make(shape, options.settings);
  Runner runner(*fabric, options);
  std::deque<Caller<In, Out>> callers;
  runner.run(
      [&](Node& node) { return call_both_ways(node, callers.emplace_back(node, blueprint)); });
  Results<In, Out> results;
  for (const Caller<In, Out>& caller : callers) {
    EXPECT_TRUE(caller.repeats());
    results.there.insert(results.there.end(), caller.there[0].begin(), caller.there[0].end());
    results.back.insert(results.back.end(), caller.back[0].begin(), caller.back[0].end());
  }
  return results;
}

/// Whether a choice of options is run on a fabric. `turn` is the number of the choice, plus 1 for
/// real data. The thorough set of tests runs every choice on every fabric. The landing set runs
/// each choice on half of the fabrics with complex data and on the other half with real data. With
/// sanitizers, it runs each choice on one fabric for each type of data.
bool is_taken(std::size_t turn, std::size_t fabric) {
  if (testing::is_thorough()) return true;
  return testing::kSanitized ? fabric == turn % kFabrics.size() : (turn + fabric) % 2 == 0;
}

template <typename In, typename Out>
void expect_equal_bits_of(const Transform& transform,
                          const std::vector<std::pair<std::string, NodeOptions>>& all) {
  SCOPED_TRACE(transform.text());
  const auto expected = results_of<In, Out>(transform, {});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t f = 0; f < kFabrics.size(); ++f) {
      const auto& [name, options] = all[i];
      if (!is_taken(i + (transform.description.real ? 1 : 0), f)) continue;
      SCOPED_TRACE(fmt::format("{}, fabric {}", name, f));
      const auto results = results_of<In, Out>(transform, options, kFabrics[f]);
      EXPECT_TRUE(equal_bits(results.there, expected.there));
      EXPECT_TRUE(equal_bits(results.back, expected.back));
    }
}

void expect_equal_bits(const Transform& transform,
                       const std::vector<std::pair<std::string, NodeOptions>>& all) {
  if (transform.description.real)
    expect_equal_bits_of<double, Complex>(transform, all);
  else
    expect_equal_bits_of<Complex, Complex>(transform, all);
}

/// The built-in policies, and some with other parameters.
std::vector<const Policy*> policies() {
  std::vector<const Policy*> all(built_in_policies().begin(), built_in_policies().end());
  for (const char* name : {"bruck:3", "virtual-mesh:1", "windowed:1", "throttled:400"})
    all.push_back(&policy_by_name(name));
  return all;
}

std::vector<std::pair<std::string, NodeOptions>> under_every_policy() {
  std::vector<std::pair<std::string, NodeOptions>> all;
  for (const Policy* policy : policies())
    all.emplace_back(policy->name(), NodeOptions{.policy = policy});
  return all;
}

/// Tests the transform with complex data and backward first, then with real data and forward first.
void expect_equal_bits_under_every_policy(const Transform& transform) {
  Transform one = transform, other = transform;
  one.description.first = Way::backward;
  other.description.real = true;
  expect_equal_bits(one, under_every_policy());
  expect_equal_bits(other, under_every_policy());
}

TEST(PlanPolicies, GiveEqualBitsForTheVolumetricMethod) {
  expect_equal_bits_under_every_policy({"2x3x1", {.size = {6, 10, 7}}});
  expect_equal_bits_under_every_policy({"2x1x2m", {.size = {5, 3, 11}, .return_to_input = true}});
}

TEST(PlanPolicies, GiveEqualBitsForSlabsInOneExchange) {
  expect_equal_bits_under_every_policy({"2x3x1", {.size = {13, 10, 7}, .method = Method::slab}});
}

TEST(PlanPolicies, GiveEqualBitsForSlabsSentPlaneByPlane) {
  for (const std::uint32_t window : {1u, 3u})
    expect_equal_bits_under_every_policy(
        {"2x2",
         {.size = {16, 9, 7}, .method = Method::slab, .overlap = {.planes = 1, .window = window}}});
}

TEST(PlanPolicies, GiveEqualBitsForRows) {
  expect_equal_bits_under_every_policy({"2x3", {.size = {6, 10, 7}, .method = Method::rows}});
}

TEST(PlanPolicies, GiveEqualBitsForBatchesInTheInputsLayout) {
  expect_equal_bits_under_every_policy({"3x2",
                                        {.size = {6, 10, 7},
                                         .method = Method::slab,
                                         .batch = 2,
                                         .return_to_input = true,
                                         .overlap = {.planes = 1, .window = 2}}});
}

TEST(PlanPolicies, GiveEqualBitsForTheOrbitalMethod) {
  const Transform transform{"2x2x2", {.size = {6, 6, 6}, .method = Method::orbital}};
  expect_equal_bits_of<Complex, Complex>(transform, under_every_policy());
}

/// The other tests compare the policies with each other. This one compares them with the
/// definition.
TEST(PlanPolicies, GiveTheResultByDefinitionUpToRounding) {
  for (const Policy* policy : policies())
    for (const Method method : testing::kMethods)
      for (const bool real : {false, true}) {
        const char* torus = method == Method::volumetric ? "2x3x1" : "5";
        const Description d{
            .size = {6, 10, 7}, .method = method, .real = real, .overlap = {.planes = 1}};
        SCOPED_TRACE(policy->name());
        const Blueprint blueprint(d, Shape::parse(torus));
        testing::expect_right_in<double>(torus, d,
                                         node_options(blueprint, Machine{}, {.policy = policy}));
      }
}

/// Changes of one setting each, including its extreme values.
std::vector<std::pair<std::string, NodeOptions>> under_every_change() {
  std::vector<std::pair<std::string, NodeOptions>> all;
  const auto add = [&](std::string_view name, const SettingChanges& changes) {
    all.emplace_back(name, NodeOptions{.changes = changes});
  };
  for (const std::uint32_t b : {1u, 2u, 1000u}) add("b", {.packets_per_visit = b});
  for (const unsigned queues : {2u, 5u, 100u}) add("L", {.output_queues = queues});
  for (std::size_t i = 0; i < kOrderRuleNames.size(); ++i)
    add(kOrderRuleNames[i], {.order = static_cast<OrderRule>(i)});
  for (std::size_t i = 0; i < kDrainRuleNames.size(); ++i)
    add(kDrainRuleNames[i], {.drain = static_cast<DrainRule>(i)});
  for (std::size_t i = 0; i < kFifoTyingNames.size(); ++i)
    add(kFifoTyingNames[i], {.tying = static_cast<FifoTying>(i)});
  for (std::size_t i = 0; i < kRoutingRuleNames.size(); ++i)
    add(kRoutingRuleNames[i], {.routing = static_cast<RoutingRule>(i)});
  for (std::size_t i = 0; i < kTieRuleNames.size(); ++i)
    add(kTieRuleNames[i], {.tie = static_cast<TieRule>(i)});
  return all;
}

TEST(PlanPolicies, GiveEqualBitsForEverySingleSetting) {
  expect_equal_bits({"2x3x1", {.size = {6, 10, 7}}}, under_every_change());
  expect_equal_bits(
      {"2x2", {.size = {8, 9, 7}, .method = Method::slab, .overlap = {.planes = 1, .window = 3}}},
      under_every_change());
}

// Wrong policies.

/// Omits the last peer.
class LeavesOut final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    const SendOrder all = BrokenPolicy::order(visitor);
    return all.first(all.size() - 1);
  }
};

/// Visits the first peer again instead of the last one.
class VisitsTwice final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    const SendOrder all = BrokenPolicy::order(visitor);
    return SendOrder(all.size(), [all](Rank i) { return all[i + 1 < all.size() ? i : 0]; });
  }
};

class VisitsItself final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    return SendOrder(visitor.shape.size() - 1, [](Rank i) { return i; });
  }
};

class VisitsNobody final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    return SendOrder(visitor.shape.size() - 1, [](Rank i) { return 50 + i; });
  }
};

class LeadsNowhere final : public BrokenPolicy {
 public:
  explicit LeadsNowhere(bool combines) : combines_(combines) {}
  unsigned stages(const Shape&) const override { return 2; }
  Rank relay(const Shape&, const Waypoint&) const override { return 77; }
  bool combines() const override { return combines_; }

 private:
  bool combines_;
};

/// The failure of a transform by rows on 2x3 nodes, whose exchanges are among all nodes.
std::string failure_of(const Policy& policy) {
  const Transform transform{"2x3", {.size = {6, 10, 7}, .method = Method::rows}};
  try {
    results_of<Complex, Complex>(transform, {.policy = &policy});
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "nothing failed";
}

TEST(PlanPolicies, WrongOrdersAreReportedWithSourceDestinationAndExchange) {
  using ::testing::HasSubstr;
  EXPECT_THAT(failure_of(LeavesOut()),
              HasSubstr("policy broken: order() of (0,0) leaves out (1,2) in exchange 1 of 2"));
  EXPECT_THAT(failure_of(VisitsTwice()),
              HasSubstr("policy broken: order() of (0,0) visits (0,1) twice in exchange 1 of 2"));
  EXPECT_THAT(failure_of(VisitsItself()),
              HasSubstr("policy broken: order() of (0,0) visits itself in exchange 1 of 2"));
  EXPECT_THAT(failure_of(VisitsNobody()), HasSubstr("in exchange 1 of 2"));
  EXPECT_EQ(failure_of(BrokenPolicy()), "nothing failed");
}

TEST(PlanPolicies, RelaysToNowhereAreReportedWithTheExchange) {
  for (const bool combines : {false, true}) {
    const std::string text = failure_of(LeadsNowhere(combines));
    EXPECT_THAT(text, ::testing::HasSubstr("policy broken: relay() leads from ("));
    EXPECT_THAT(text,
                ::testing::HasSubstr("to a node that does not exist (rank 77, expected 0 to "));
  }
}

/// A policy is wrong in a single line of a plane. The message names nodes by their coordinates in
/// the machine.
TEST(PlanPolicies, WrongOrdersInAGroupAreReportedByMachineCoordinates) {
  class LosesInOneLine final : public BrokenPolicy {
    SendOrder order(const Visitor& visitor) const override {
      const SendOrder all = BrokenPolicy::order(visitor);
      return visitor.identity == 5 ? all.first(all.size() - 1) : all;
    }
  };
  const LosesInOneLine policy;
  const Transform transform{"2x3x1", {.size = {6, 10, 7}}};
  std::string text;
  try {
    results_of<Complex, Complex>(transform, {.policy = &policy});
  } catch (const RunFailed& failed) {
    text = failed.what();
  }
  EXPECT_THAT(text, ::testing::HasSubstr("policy broken: order() of (1,2,0) leaves out ("));
  EXPECT_THAT(text, ::testing::HasSubstr(",0) in exchange "));
}

}  // namespace
}  // namespace toroid::fft
