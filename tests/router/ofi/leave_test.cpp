// Node::leave(): a node's packets leave the process before the node computes for long.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/job/job.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/ofi/ofi_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;

constexpr Rank kSender = 0;
constexpr Rank kReceiver = 1;

/// State shared by both nodes, which run in two threads of this process.
struct Shared {
  std::atomic<bool> heard = false;  ///< the sender waits for this without co_await
  bool in_time = false;
};

/// A computation that ends when the other node has heard, or after 30 s.
void compute_until_heard(Shared& shared) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!shared.heard && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  shared.in_time = shared.heard;
}

/// Signals the other node by a packet. The first barrier opens the connection.
Program tell_by_packet(Node& node, Shared& shared, bool by_compute) {
  Counter packets;
  node.on(kHandler, [&](const Packet&) { packets.bump(); });
  co_await node.barrier();
  if (node.rank() == kSender) {
    node.post(kReceiver, kHandler, {}, 0);
    if (by_compute) {
      co_await node.compute(0);
    } else {
      node.leave();
    }
    compute_until_heard(shared);
  } else {
    co_await node.until(packets, 1);
    shared.heard = true;
  }
}

/// Signals the other node by entering a barrier. The other node's message for the barrier has then
/// arrived already, so this node passes the barrier at once.
Program tell_by_barrier(Node& node, Shared& shared) {
  co_await node.barrier();
  const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (node.rank() == kSender && std::chrono::steady_clock::now() < late)
    co_await node.progress();
  co_await node.barrier();
  if (node.rank() == kSender) {
    node.leave();
    compute_until_heard(shared);
  } else {
    shared.heard = true;
  }
}

/// Runs program(node) on two processes with one node each.
template <typename ProgramOf>
void expect_in_time(Shared& shared, const ProgramOf& program) {
  if (const std::string why = testing::missing("tcp;ofi_rxm"); !why.empty()) GTEST_SKIP() << why;
  testing::run_on_ofi(Shape::parse("2"), {.processes = 2},
                      [&](Job&, EmulatedMachine& machine) { machine.run(program); });
  EXPECT_TRUE(shared.in_time);
}

TEST(OfiLeave, SendsPostedPacketAtOnce) {
  Shared shared;
  expect_in_time(shared, [&](Node& node) { return tell_by_packet(node, shared, false); });
}

TEST(OfiLeave, IsImpliedByCompute) {
  Shared shared;
  expect_in_time(shared, [&](Node& node) { return tell_by_packet(node, shared, true); });
}

TEST(OfiLeave, LetsOthersPassBarrier) {
  Shared shared;
  expect_in_time(shared, [&](Node& node) { return tell_by_barrier(node, shared); });
}

}  // namespace
}  // namespace toroid
