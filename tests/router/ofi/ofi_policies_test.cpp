// Transforms under every policy and setting on several processes: correct according to the
// definition, and bit-identical to the model under the policy `random`.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "router/job/job.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using fft::Method;
using testing::is_thorough;
using testing::OfiCase;

/// A transform on a torus that two processes share.
struct Transform {
  const char* torus;
  fft::Description description;
};

/// All methods, with unequal extents and, if the method permits, a prime extent.
const std::vector<Transform> kTransforms = {
    {"2x3x1", {.size = {6, 11, 7}}},
    {"5", {.size = {13, 5, 7}, .method = Method::slab}},
    {"2x2", {.size = {13, 9, 6}, .method = Method::slab, .overlap = {.planes = 1, .window = 2}}},
    {"2x3", {.size = {5, 11, 6}, .method = Method::rows}},
    {"2x2x2", {.size = {6, 6, 6}, .method = Method::orbital}},
};

/// A name for failure messages, and node options.
using Choice = std::pair<std::string, NodeOptions>;

std::vector<Choice> every_policy() {
  std::vector<Choice> all;
  for (const Policy* policy : built_in_policies())
    all.emplace_back(policy->name(), NodeOptions{.policy = policy});
  return all;
}

/// One choice for each setting, which differs from the default only in that setting.
std::vector<Choice> every_setting() {
  return {{"b", {.changes = {.packets_per_visit = 3}}},
          {"L", {.changes = {.output_queues = 5}}},
          {"order", {.changes = {.order = OrderRule::shift}}},
          {"drain", {.changes = {.drain = DrainRule::first_fit}}},
          {"tying", {.changes = {.tying = FifoTying::any}}},
          {"routing", {.changes = {.routing = RoutingRule::deterministic}}},
          {"tie", {.changes = {.tie = TieRule::split}}}};
}

/// The input array of a transform, and its expected result.
struct Expected {
  explicit Expected(const Transform& transform)
      : array(testing::expectation<std::complex<float>>(transform.description).arrays.begin(),
              testing::expectation<std::complex<float>>(transform.description).arrays.end()),
        model(testing::simulate<fft::Complex, fft::Complex>(transform.torus, transform.description,
                                                            array)) {
    const auto& exact = testing::expectation<std::complex<float>>(transform.description);
    const double bar = testing::error_bar<double>(transform.description);
    EXPECT_LE(testing::relative_error(model.result, exact.there), bar);
    EXPECT_LE(testing::relative_error(model.back, exact.back), bar);
  }
  std::vector<fft::Complex> array;
  testing::PlanRun<fft::Complex, fft::Complex> model;  ///< checked against the definition
};

/// Adds a failure if an element that this process has differs from the model's.
void expect_bits(const std::vector<fft::Complex>& result, const std::vector<bool>& here,
                 const std::vector<fft::Complex>& model) {
  std::vector<fft::Complex> own, expected;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!here[i]) continue;
    own.push_back(result[i]);
    expected.push_back(model[i]);
  }
  EXPECT_FALSE(own.empty());
  EXPECT_TRUE(testing::equal_bits(own, expected));
}

void expect_model(Job& job, OfiCase c, const Transform& transform, const Choice& choice,
                  const Expected& expected) {
  const Shape torus = Shape::parse(transform.torus);
  SCOPED_TRACE(fmt::format("{} on {} under {}, {}", testing::text_of(transform.description),
                           transform.torus, choice.first, c.text()));
  c.tying = node_options(fft::Blueprint(transform.description, torus), c.machine, choice.second)
                .settings.tying;
  const auto fabric = testing::ofi_fabric(job, torus, c);
  const auto run = testing::run_plan<fft::Complex, fft::Complex>(*fabric, transform.description,
                                                                 expected.array, choice.second);
  expect_bits(run.result, run.result_here, expected.model.result);
  expect_bits(run.back, run.back_here, expected.model.back);
}

/// Indices of a transform, a choice and a route.
struct Try {
  std::size_t transform;
  std::size_t choice;
  std::size_t route;
};

/// The tries that run:
/// - thorough set: every transform under every choice, on both routes over `net`, whose endpoints
///   open quickly, and on alternating routes over other providers;
/// - landing set: every choice on every route (with sanitizers: on one), with alternating
///   transforms, because the tests of plans on rings cover policies and transforms;
/// - landing set over providers other than kMainProvider: each transform once, under different
///   choices.
std::vector<Try> tries(const std::string& provider, std::size_t choices) {
  const std::size_t transforms = kTransforms.size(), routes = testing::kRoutes.size();
  std::vector<Try> all;
  if (!is_thorough() && provider != testing::kMainProvider) {
    for (std::size_t t = 0; t < transforms; ++t) all.push_back({t, t % choices, t % routes});
    return all;
  }
  for (std::size_t i = 0; i < choices; ++i)
    for (std::size_t r = 0; r < routes; ++r) {
      if (!is_thorough() && (!testing::kSanitized || r == i % routes))
        all.push_back({(i + 2 * r) % transforms, i, r});
      for (std::size_t t = 0; t < transforms && is_thorough(); ++t)
        if (provider == "net" || r == (t + i) % routes) all.push_back({t, i, r});
    }
  return all;
}

/// Runs all tries in one job of two processes, with a new fabric for each.
void expect_model_under(const std::string& provider, const std::vector<Choice>& choices) {
  const std::vector<Expected> expected(kTransforms.begin(), kTransforms.end());
  const auto outcomes = testing::run_job_over(provider, 2, [&](Job& job) {
    for (const auto& [transform, choice, route] : tries(provider, choices.size()))
      expect_model(job, {.route = testing::kRoutes[route], .provider = provider},
                   kTransforms[transform], choices[choice], expected[transform]);
  });
  EXPECT_EQ(outcomes, std::vector<std::string>(2));
}

using OfiPolicies = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiPolicies, testing::kProviders, testing::provider_name);

TEST_P(OfiPolicies, EveryMethodIsRightUnderEveryPolicy) {
  expect_model_under(GetParam(), every_policy());
}

TEST_P(OfiPolicies, EveryMethodIsRightUnderEverySingleSetting) {
  expect_model_under(GetParam(), every_setting());
}

/// Put would pass pointers to blocks, which are meaningless in another process.
TEST(OfiOrbital, RefusesPutBetweenProcesses) {
  const Transform orbital = kTransforms.back();
  const Expected expected(orbital);
  const auto outcomes = testing::run_job_over("shm", 2, [&](Job& job) {
    expect_model(job, {.route = RingRoute::direct, .provider = "shm"}, orbital,
                 {"put", {.transfer = TransferMode::put}}, expected);
  });
  for (const std::string& outcome : outcomes)
    EXPECT_THAT(outcome, ::testing::HasSubstr("put cannot move the orbital transform's blocks"));
}

}  // namespace
}  // namespace toroid
