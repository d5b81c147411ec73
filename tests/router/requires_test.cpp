// Violations of the preconditions of the public headers in router/, and of those in hal/ that a
// fabric checks.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "hal/direction.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/placement/host_topology.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/checkpoints.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/hal/descriptors.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/violations.hpp"

namespace toroid {
namespace {

using testing::Violation;

std::unique_ptr<Fabric> small_model(SimOptions options = {}) {
  return make_sim_fabric(Shape::parse("2"), Machine{}, std::move(options));
}

Program nothing(Node&) {
  co_return;
}

class NoCheckpoints final : public SimCheckpoints {
 public:
  bool try_resume(const State&) override { return false; }
  Tick end_of_segment(Tick next) override { return next + 1; }
  void between_segments(Tick, const State&) override {}
};

const Violation kAborting[] = {
    {"hal/device.hpp:try_wake_at", "present_cycle.. < when",
     [] { (void)small_model()->device(0).try_wake_at(0); }},
    {"router/placement/host_topology.hpp:part", "count > 0",
     [] { (void)HostTopology::synthetic("core:2 pu:1").part(1, 2); }},
    {"router/sim/sim_fabric.hpp:checkpoints", "probe == nullptr",
     [] {
       NoCheckpoints checkpoints;
       SimProbe probe;
       const auto fabric = small_model({.probe = &probe, .checkpoints = &checkpoints});
       Runner(*fabric).run(nothing);
     }},
};

const Violation kAbortingInACheckedBuild[] = {
    {"hal/device.hpp:try_pass", "payload.size",
     [] {
       const auto rings =
           testing::ring_fabric(Shape::parse("2"), 1, testing::routed(RingRoute::direct));
       const std::byte one{};
       (void)rings->device(0).try_pass(testing::descriptor({}, 1), std::span(&one, 1));
     }},
    {"hal/device.hpp:inject", "0 < count",
     [] { small_model()->device(0).inject(testing::descriptor({}, 1), 0, 0); }},
};

const Violation kThrowing[] = {
    {"hal/fabric.hpp:device", "there is no node 2", [] { (void)small_model()->device(2); }},
    {"hal/fabric.hpp:attach", "has a processor already",
     [] {
       const auto fabric = small_model();
       Runner runner(*fabric);
       runner.run(nothing);
       fabric->attach(0, runner.nodes()[0]);
     }},
    {"hal/fabric.hpp:run", "has run already",
     [] {
       const auto fabric = small_model();
       Runner runner(*fabric);
       runner.run(nothing);
       fabric->run();
     }},
};

TEST(RouterPreconditionsDeathTest, AbortIfViolated) {
  testing::expect_aborts(kAborting);
}

TEST(RouterPreconditionsDeathTest, AbortIfViolatedInACheckedBuild) {
  testing::expect_aborts_in_a_checked_build(kAbortingInACheckedBuild);
}

TEST(RouterPreconditions, ThrowIfViolated) {
  testing::expect_thrown(kThrowing);
}

}  // namespace
}  // namespace toroid
