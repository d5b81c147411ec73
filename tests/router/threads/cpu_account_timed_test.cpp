// CPU time covers the working threads, whatever else runs in the process. The tests compare CPU
// clocks only with each other, never with elapsed time, so that a busy host changes nothing.
#include "router/threads/cpu_account.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <latch>
#include <thread>

#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::RingMachine;
using testing::SimMachine;

constexpr double kSpun = 0.1;  ///< CPU seconds

/// Uses kSpun of the calling thread's CPU time.
void spin() {
  const double end = thread_cpu_seconds() + kSpun;
  while (thread_cpu_seconds() < end) continue;
}

/// A thread that is not part of the measurement and uses CPU time at the same time.
class Spinner {
 public:
  /// Sleeps until the thread has used kSpun.
  void wait() { spun_.wait(); }

 private:
  std::latch spun_{1};
  std::jthread thread_{[this] {
    spin();
    spun_.count_down();
  }};
};

double process_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(CpuAccount, ExcludesOtherThreadsWhileTheCountedOneSleeps) {
  const double before = process_seconds();
  CpuAccount account;
  {
    const CpuShare counted(&account);
    Spinner().wait();
  }
  EXPECT_GE(process_seconds() - before, kSpun);
  EXPECT_LT(account.seconds(), 0.2 * kSpun);
}

TEST(CpuAccount, AddsUpSeveralSharesOfAThread) {
  CpuAccount account;
  for (int i = 0; i < 2; ++i) {
    const CpuShare counted(&account);
    spin();
  }
  EXPECT_GE(account.seconds(), 2 * kSpun);
  const CpuShare none(nullptr);
}

Program sleep_beside(Node& node, Spinner* spinner) {
  if (node.rank() == 0) spinner->wait();
  co_return;
}

TEST(CpuTimeOfTheModel, ExcludesAThreadThatSpinsBesideIt) {
  Spinner spinner;
  CpuAccount account;
  SimMachine machine(Shape::parse("2x2"), {}, {.cpu = &account});
  machine.run([&](Node& node) { return sleep_beside(node, &spinner); });
  EXPECT_GT(account.seconds(), 0);
  EXPECT_LT(account.seconds(), 0.5 * kSpun);
}

Program spin_at_the_ends(Node& node) {
  if (node.rank() == 0 || node.rank() + 1 == node.size()) spin();
  co_return;
}

TEST(CpuTimeOfTheModel, IncludesAllItsThreads) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    CpuAccount account;
    SimMachine machine(Shape::parse("2x2"), {}, {.threads = threads, .cpu = &account});
    machine.run(spin_at_the_ends);
    EXPECT_GE(account.seconds(), 2 * kSpun) << threads << " threads";
  }
}

TEST(CpuTimeOfTheRings, IncludesTheirWorkers) {
  CpuAccount account;
  RingOptions options;
  options.cpu = &account;
  RingMachine machine(Shape::parse("2x2"), 2, {}, options);
  machine.run(spin_at_the_ends);
  EXPECT_GE(account.seconds(), 2 * kSpun);
}

}  // namespace
}  // namespace toroid
