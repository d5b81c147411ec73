// Workers with nothing to do leave the processor to others. The tests check the processor time used
// per elapsed time, not speed; the limits are generous.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <thread>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/shm/worker.hpp"
#include "router/termination/detector.hpp"
#include "router/termination/run_control.hpp"
#include "router/threads/idle.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::RingMachine;
using WallClock = std::chrono::steady_clock;

double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Processor time per elapsed time, during one second in which this thread waits.
double share_of(int who, auto wait_until) {
  const auto begin = WallClock::now();
  const double used = processor_seconds(who);
  wait_until(begin + std::chrono::seconds(1));
  const std::chrono::duration<double> passed = WallClock::now() - begin;
  return (processor_seconds(who) - used) / passed.count();
}

TEST(RingIdle, WaitingForASecondTakesLittleProcessorTime) {
  for (const bool spins : {true, false}) {
    Idle idle(spins);
    const double share = share_of(RUSAGE_THREAD, [&](WallClock::time_point end) {
      while (WallClock::now() < end) idle.wait();
    });
    EXPECT_LT(share, 0.25) << "spins: " << spins;
  }
}

/// The first node sleeps when it is greeted; all the others wait for its answer. The share is
/// measured after all nodes have had time to finish their work.
Program wait_for_a_sleeper(Node& node, double& share) {
  Counter heard("heard");
  node.on(kHandler, [&](const Packet& packet) {
    heard.bump();
    if (node.rank() != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    share = share_of(RUSAGE_SELF,
                     [](WallClock::time_point end) { std::this_thread::sleep_until(end); });
    for (Rank peer = 1; peer < node.size(); ++peer) node.post(peer, kHandler, packet.bytes());
  });
  if (node.rank() == 1) co_await node.send(0, kHandler, node.rank());
  co_await node.until(heard, 1);
}

TEST(RingIdle, WorkersThatWaitForASleeperTakeLittleProcessorTime) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : {2u, 8u}) {
      RingMachine machine(Shape::parse("4x4"), threads, {}, testing::routed(route));
      double share = 1;
      machine.run([&share](Node& node) { return wait_for_a_sleeper(node, share); });
      EXPECT_LT(share, 0.25) << threads << " workers";
    }
}

/// A connection to other processes on which nothing ever arrives and each poll takes long.
struct SlowLook final : ring::Pollable {
  unsigned looks = 0;
  bool step(bool) override {
    ++looks;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return false;
  }
};

/// The worker has its own core, so the limit on rounds would let it poll 500 times before it rests.
/// Here the limit on time makes it rest sooner. While the worker rests, it notices the end of the
/// run at once.
TEST(RingIdle, AWorkerWithLongRoundsRestsAfterFewRounds) {
  termination::RunControl control(1, std::chrono::seconds(60));
  SlowLook slow;
  ring::Worker({}, control, 0, /*spins=*/true, &slow).run();
  EXPECT_EQ(control.verdict(), termination::Verdict::quiescent);
  EXPECT_LT(slow.looks, 100u);
}

}  // namespace
}  // namespace toroid
