// Programs whose plan is a local: on several processes, nodes relay for others after their programs
// have ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fft/plan/plan.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/policies/policies.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "tests/fft/plan/own_program.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using ::testing::Each;
using testing::EmulatedMachine;
using ::testing::HasSubstr;
using testing::OfiCase;
using testing::OwnProgramCase;
using testing::RoundTrip;

void expect_right(const OwnProgramCase& one, const OfiCase& c) {
  SCOPED_TRACE(one.text() + " " + c.text());
  const std::optional<NodeOptions> options = one.options();
  if (!options) return;
  std::vector<RoundTrip> errors(one.shape().size());
  const auto outcomes = testing::run_job(c.processes, [&](Job& job) {
    EmulatedMachine machine(ofi_fabric(job, one.shape(), c), *options);
    machine.run([&](Node& node) { return there_and_back(node, one.wave(), &errors[node.rank()]); });
  });
  EXPECT_EQ(outcomes, std::vector<std::string>(c.processes));
  one.expect_right(errors);
}

TEST(OfiOwnProgram, MayHaveAPlanAsALocalUnderEveryPolicy) {
  std::size_t number = 0;
  for (const OwnProgramCase& one : testing::own_program_cases(testing::scaled(12, 4))) {
    OfiCase c{.route = testing::kRoutes[number++ % testing::kRoutes.size()]};
    if (const auto options = one.options()) c.tying = options->settings.tying;
    expect_right(one, c);
  }
}

/// Makes a plan and does not use it, so that nothing else can fail.
Program make_a_plan(Node& node, std::int64_t n) {
  const fft::Plan plan(node, {.size = {n, 4, 4}});
  co_await node.barrier();
}

TEST(OfiOwnProgram, PlansOfDifferentProcessesAreCompared) {
  for (const std::int64_t n : {4, 2}) {
    const auto outcomes = testing::run_job(2, [n](Job& job) {
      const auto fabric =
          testing::ofi_fabric(job, Shape::parse("4"), {.stall = std::chrono::seconds(5)});
      const std::int64_t mine = job.rank() == 0 ? 4 : n;
      Runner(*fabric).run([mine](Node& node) { return make_a_plan(node, mine); });
    });
    if (n == 4)
      EXPECT_THAT(outcomes, Each(""));
    else
      EXPECT_THAT(outcomes, Each(HasSubstr("nodes disagree on plan 1: size is 4x4x4 on node (0) "
                                           "and 2x4x4 on node (2)")));
  }
}

TEST(OfiOwnProgram, MayForgetItsJobBeforeItsFabric) {
  const auto members = testing::bootstraps(2);
  std::vector<std::jthread> threads;
  std::vector<RoundTrip> errors(4);
  for (const Bootstrap& member : members)
    threads.emplace_back([&, member] {
      auto job = std::make_unique<Job>(member, testing::patient());
      const auto fabric = testing::ofi_fabric(*job, Shape::parse("4"), {});
      job.reset();
      Runner(*fabric).run([&](Node& node) {
        return testing::there_and_back(node, {4, {1, 3, 2}}, &errors[node.rank()]);
      });
    });
  threads.clear();
  OwnProgramCase{4, &policy_by_name("random"), "4"}.expect_right(errors);
}

}  // namespace
}  // namespace toroid
