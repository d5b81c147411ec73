// Streams put the same bytes into the same places on rings as on the model.
#include <gtest/gtest.h>
#include <array>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/random_bytes.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;
using testing::RingMachine;
using testing::SimMachine;

using Bytes = std::vector<std::byte>;

Bytes message_of(Rank from, std::size_t bytes) {
  Bytes message(bytes);
  testing::fill_at_random(message, Random(from + 1, bytes));
  return message;
}

/// Every node streams to the node `shift` ranks after it, and so hears from one node.
struct Plan {
  Rank shift;
  std::size_t bytes;
  unsigned messages;
};

Program stream_round(Node& node, Plan plan, Bytes* inbox) {
  Counter arrived("packets of the stream");
  inbox->resize(plan.bytes);
  node.on(kHandler, [&arrived, inbox](const Packet& packet) {
    const auto payload = packet.bytes();
    const std::size_t at = packet.header.argument();
    ASSERT_LE(at + payload.size(), inbox->size());
    std::ranges::copy(payload, inbox->begin() + static_cast<std::ptrdiff_t>(at));
    arrived.bump();
  });
  const Bytes message = message_of(node.rank(), plan.bytes);
  const Rank to = (node.rank() + plan.shift) % node.size();
  Stream stream(node, kHandler, to, message);
  stream.start(1);
  stream.start(plan.messages - 1);
  const std::uint64_t expected = plan.messages * stream.packets();
  co_await node.until(arrived, expected);
  if (plan.bytes > 0) co_await node.until(stream.sent(), plan.messages);
}

std::vector<Bytes> streamed(EmulatedMachine& machine, const Plan& plan) {
  std::vector<Bytes> inboxes(machine.size());
  machine.run([&](Node& node) { return stream_round(node, plan, &inboxes[node.rank()]); });
  EXPECT_TRUE(machine.finished());
  const std::uint64_t packets = std::max<std::uint64_t>(1, (plan.bytes + 239) / 240);
  EXPECT_EQ(machine.counters().delivered, machine.size() * plan.messages * packets);
  return inboxes;
}

TEST(StreamAgreement, TheSameBytesArriveAsOnTheModel) {
  constexpr std::array kShapes = {"2", "7", "8m", "3x3", "5x2m", "2x3x4", "2x2x2x2"};
  constexpr std::size_t kPlans = 3;
  const auto cases = testing::ring_cases_beside(kShapes.size() * kPlans);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const char* const text = kShapes[i / kPlans];
    const Shape shape = Shape::parse(text);
    const std::array<Plan, kPlans> plans = {Plan{1, 240, 5}, Plan{shape.size() / 2, 2500, 3},
                                            Plan{1, 17, 9}};
    const Plan& plan = plans[i % kPlans];
    SimMachine sim(shape);
    const auto expected = streamed(sim, plan);
    for (Rank r = 0; r < shape.size(); ++r)
      ASSERT_EQ(expected[(r + plan.shift) % shape.size()], message_of(r, plan.bytes)) << text;
    for (const auto& c : cases[i]) {
      RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
      ASSERT_EQ(streamed(rings, plan), expected) << text << ' ' << c.text();
    }
  }
}

}  // namespace
}  // namespace toroid
