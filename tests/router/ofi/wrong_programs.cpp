// The fabric `ofi`, in several processes, for the tests of programs that misuse the layer.
#include "tests/packet/node/wrong_programs.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/job/job.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/placement/placement.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {
namespace {

std::unique_ptr<Fabric> fabric_of(Job& job, const Shape& shape, RingRoute route) {
  Placement placement = place(this_machine(), shape, Partition(shape, job.size()).nodes(job.rank()),
                              1, Binding::none);
  placement.oversubscribed = true;  // all processes of the test share the cores
  OfiOptions options{.ring = routed(route), .provider = "tcp;ofi_rxm"};
  // Long enough for several processes that start on one busy core.
  options.ring.stall = std::chrono::milliseconds(500) * by_set(1, 4);
  options.ring.limit = 4 * options.ring.stall;
  return make_ofi_fabric(job, shape, Machine{}, std::move(placement), std::move(options));
}

/// The ends of the run in all processes, which are threads of the test.
std::vector<std::string> ends_of(unsigned processes, const Shape& shape, RingRoute route,
                                 const NodeOptions& nodes, const MakeProgram& program) {
  std::mutex mutex;  // `program` is written for one process
  const MakeProgram one_at_a_time = [&](Node& node) {
    const std::lock_guard lock(mutex);
    return program(node);
  };
  std::vector<std::string> ends(processes);
  const std::vector<std::string> outcomes = run_job(processes, [&](Job& job) {
    EmulatedMachine machine(fabric_of(job, shape, route), nodes);
    ends[job.rank()] = end_of(machine, one_at_a_time);
  });
  EXPECT_EQ(outcomes, std::vector<std::string>(processes));
  return ends;
}

}  // namespace

/// In the landing set each test takes two processes and one of the routes.
void on_every_fabric(const char* torus, const NodeOptions& nodes, const MakeProgram& program,
                     const std::function<void(const std::string&)>& expect) {
  const Shape shape = Shape::parse(torus);
  const bool is_even = ::testing::UnitTest::GetInstance()->current_test_info()->line() % 2 == 0;
  for (const RingRoute route : kRoutes)
    for (const unsigned processes : {2u, 1u, 3u}) {
      if (!is_thorough() && (processes != 2 || (route == RingRoute::torus) != is_even)) continue;
      SCOPED_TRACE(fmt::format("{} processes, {}", processes,
                               kRingRouteNames[static_cast<unsigned>(route)]));
      for (const std::string& end : ends_of(processes, shape, route, nodes, program)) expect(end);
    }
}

}  // namespace toroid::testing
