// Exchanges that go on while their node does something else: several at once, tested, awaited,
// started again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/traffic/traffic.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/packet/exchange/indexed_messages.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::IndexedMessages;
using testing::kHandler;
using testing::on_every_machine;
using testing::SimMachine;

/// One word to every peer, which encodes sender, exchange and round.
class Words final : public Messages {
 public:
  Words(const Group& group, std::uint32_t exchange) : group_(group), exchange_(exchange) {}
  void set_round(std::uint32_t round) { round_ = round; }
  std::uint64_t bytes_to(Rank) const override { return 4; }
  std::uint64_t packets_expected() const override { return group_.size() - 1; }
  std::uint32_t most_packets() const override { return group_.size() > 1 ? 1 : 0; }
  MessageRun run(Rank, std::uint32_t first, std::uint32_t limit) const override {
    return run_of(4, kPayloadBytes, first, limit);
  }
  bool has_payload() const override { return true; }
  std::uint32_t gather(Rank, std::uint32_t, std::span<std::byte> payload) const override {
    const std::uint32_t value = word(group_.self(), round_);
    std::memcpy(payload.data(), &value, 4);
    return 0;
  }
  void arrive(Rank, std::uint32_t, std::span<const std::byte> payload) override {
    ASSERT_EQ(payload.size(), 4u);
    std::memcpy(&heard_.emplace_back(), payload.data(), 4);
  }
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override { return nullptr; }
  /// Checks that the words of this round have come from all other nodes, and nothing else.
  void expect_round() {
    std::vector<std::uint32_t> expected;
    for (Rank m = 0; m < group_.size(); ++m)
      if (m != group_.self()) expected.push_back(word(m, round_));
    EXPECT_THAT(heard_, ::testing::UnorderedElementsAreArray(expected));
    heard_.clear();
  }

 private:
  std::uint32_t word(Rank member, std::uint32_t round) const {
    return round << 16 | exchange_ << 8 | member;
  }
  Group group_;
  std::uint32_t exchange_;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> heard_;
};

/// A node's exchanges. They live as long as the run.
struct Exchanges {
  Exchanges(Node& node, std::uint32_t count)
      : plan(testing::plan_for(node.options(), node.shape(), node.shape())) {
    const HandlerId first = node.reserve_handlers(count);
    const Group all = Group::all(node.shape(), node.rank());
    for (std::uint32_t e = 0; e < count; ++e)
      exchanges.emplace_back(node, static_cast<HandlerId>(first + e), all, *plan,
                             messages.emplace_back(all, e));
  }
  testing::PlanPointer plan;
  std::deque<Words> messages;
  std::deque<Exchange> exchanges;
};

/// Runs program(node, its exchanges) on every node.
template <typename MakeProgram>
void run_exchanges(EmulatedMachine& machine, std::uint32_t count, const MakeProgram& program) {
  std::deque<Exchanges> sides;
  for (Rank r = 0; r < machine.size(); ++r) sides.emplace_back(machine.node(r), count);
  machine.run([&](Node& node) { return program(node, &sides[node.rank()]); });
  EXPECT_TRUE(machine.finished());
}

/// Each node starts its exchanges in its own order and awaits them in another order.
Program start_all_wait_for_all(Node& node, Exchanges* side) {
  const std::size_t count = side->exchanges.size();
  for (std::size_t i = 0; i < count; ++i) side->exchanges[(i + node.rank()) % count].start();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t e = (2 * i + 3 * node.rank()) % count;
    const Exchange& exchange = side->exchanges[e];
    co_await exchange.wait();
    EXPECT_TRUE(exchange.test());
    side->messages[e].expect_round();
  }
}

TEST(OutstandingExchanges, CompleteInAnyOrder) {
  for (const char* torus : {"1", "2", "7", "3x3", "2x2x3"})
    on_every_machine(
        torus, [](EmulatedMachine& machine) { run_exchanges(machine, 5, start_all_wait_for_all); });
}

/// Long messages in lines, planes and the whole machine at the same time.
Program exchange_in_groups(Node& node) {
  std::deque<IndexedMessages> messages;
  std::deque<testing::PlanPointer> plans;
  std::deque<Exchange> exchanges;
  for (unsigned last = 1; last <= node.shape().dims(); ++last) {
    const Group group(node.shape(), 0, last, node.rank());
    plans.push_back(testing::plan_for(node.options(), node.shape(), node.shape().slice(0, last)));
    exchanges.emplace_back(node, static_cast<HandlerId>(kHandler + last), group, *plans.back(),
                           messages.emplace_back(group));
  }
  for (Exchange& exchange : exchanges) exchange.start();
  for (Exchange& exchange : exchanges) co_await exchange.wait();
  for (IndexedMessages& arrived : messages) arrived.expect_complete();
  co_await node.barrier();
}

TEST(OutstandingExchanges, InDifferentGroupsDoNotMix) {
  on_every_machine("3x2x2", [](EmulatedMachine& machine) {
    machine.run(exchange_in_groups);
    EXPECT_TRUE(machine.finished());
  });
}

Program test_it(Node& node, Exchanges* side) {
  Exchange& exchange = side->exchanges[0];
  EXPECT_TRUE(exchange.test());  // it has not been started
  exchange.start();
  EXPECT_EQ(exchange.test(), node.size() == 1);
  co_await exchange.wait();
  EXPECT_TRUE(exchange.test());
  EXPECT_EQ(exchange.received().value(), node.size() - 1);
  EXPECT_EQ(exchange.sent().value(), 1u);
}

TEST(OutstandingExchanges, SayWhetherTheyAreComplete) {
  for (const char* torus : {"1", "2", "3x3"})
    on_every_machine(torus, [](EmulatedMachine& machine) { run_exchanges(machine, 1, test_it); });
}

/// Never waits for the exchange, but only tests it. Packets are handled between slices of the
/// node's computation.
Program compute_in_slices(Node& node, Exchanges* side, unsigned* slices) {
  Exchange& exchange = side->exchanges[0];
  exchange.start();
  const Tick slice = 100;
  for (; !exchange.test(); ++*slices) {
    co_await node.compute(slice);
    co_await node.progress();
  }
  side->messages[0].expect_round();
}

TEST(OutstandingExchanges, GoOnWhileTheNodeComputes) {
  on_every_machine("3x3", [](EmulatedMachine& machine) {
    std::vector<unsigned> slices(machine.size());
    run_exchanges(machine, 1, [&](Node& node, Exchanges* side) {
      return compute_in_slices(node, side, &slices[node.rank()]);
    });
    for (const unsigned count : slices) EXPECT_GT(count, 0u);
  });
}

/// Computes once for a long time, then notes how long the node must still wait for the exchange.
Program compute_at_once(Node& node, Exchanges* side, Tick* waited) {
  Exchange& exchange = side->exchanges[0];
  exchange.start();
  const Tick long_time = 1'000'000;
  co_await node.compute(long_time);
  const Tick before = node.now();
  co_await exchange.wait();
  *waited = node.now() - before;
}

TEST(OutstandingExchanges, HideBehindALongComputation) {
  SimMachine machine(Shape::parse("2x2"));
  std::vector<Tick> waited(4);
  run_exchanges(machine, 1, [&](Node& node, Exchanges* side) {
    return compute_at_once(node, side, &waited[node.rank()]);
  });
  for (const Tick time : waited) EXPECT_LT(time, 10'000u);
}

Program progress_only(Node& node, Exchanges* side) {
  for (int i = 0; i < 10; ++i) co_await node.progress();
  EXPECT_LE(node.now(), 10u);  // a turn without work takes at most a cycle
  const Tick before = node.now();
  Exchange& exchange = side->exchanges[0];
  exchange.start();
  EXPECT_EQ(exchange.sent().value(), 0u);
  co_await node.progress();
  EXPECT_EQ(exchange.sent().value(), 1u);  // all packets have left: there was room for them
  EXPECT_LE(node.now() - before, (node.size() - 1) * node.machine().inject_cycles + 1);
  co_await exchange.wait();
  EXPECT_GT(node.now(), before);
}

TEST(ExchangeProgress, LetsPacketsLeaveAndTakesTheirTime) {
  SimMachine machine(Shape::parse("2x2"));
  run_exchanges(machine, 1, progress_only);
}

Program with_barriers(Node& node, Exchanges* side) {
  for (std::uint32_t round = 0; round < 10; ++round) {
    side->messages[0].set_round(round);
    side->exchanges[0].start();
    const Exchange& exchange = side->exchanges[0];
    co_await exchange.wait();
    side->messages[0].expect_round();
    co_await node.barrier();
  }
  EXPECT_EQ(side->exchanges[0].starts(), 10u);
  EXPECT_EQ(side->exchanges[0].expected(), 10u * (node.size() - 1));
}

TEST(OutstandingExchanges, MayStartAgainAfterABarrier) {
  for (const char* torus : {"1", "3x3"})
    on_every_machine(torus,
                     [](EmulatedMachine& machine) { run_exchanges(machine, 1, with_barriers); });
}

/// No barrier is needed: a node completes an exchange only when every node has started it, and
/// every node starts it only when it has completed the previous exchange.
Program take_turns(Node&, Exchanges* side) {
  for (std::uint32_t round = 0; round < 20; ++round) {
    side->messages[round % 2].set_round(round);
    side->exchanges[round % 2].start();
    const Exchange& exchange = side->exchanges[round % 2];
    co_await exchange.wait();
    side->messages[round % 2].expect_round();
  }
}

TEST(OutstandingExchanges, MayTakeTurnsWithoutABarrier) {
  for (const char* torus : {"1", "2", "3x3"})
    on_every_machine(torus,
                     [](EmulatedMachine& machine) { run_exchanges(machine, 2, take_turns); });
}

Program start_but_one(Node& node, Exchanges* side) {
  Exchange& exchange = side->exchanges[0];
  if (node.rank() == 2) co_return;
  exchange.start();
  co_await exchange.wait();
}

TEST(OutstandingExchanges, AreReportedIfTheyNeverComplete) {
  SimMachine machine(Shape::parse("3"));
  const std::string text = testing::failure_of([&] { run_exchanges(machine, 1, start_but_one); });
  EXPECT_THAT(text, ::testing::HasSubstr("packets of the exchange at 1 of 2")) << text;
}

/// Node 0 sends one word, to node 1 only.
class OneWord final : public Messages {
 public:
  explicit OneWord(const Group& group) : group_(group) {}
  std::uint64_t bytes_to(Rank m) const override { return group_.self() == 0 && m == 1 ? 4 : 0; }
  std::uint64_t packets_expected() const override { return group_.self() == 1 ? 1 : 0; }
  std::uint32_t most_packets() const override { return group_.self() == 0 ? 1 : 0; }
  MessageRun run(Rank m, std::uint32_t first, std::uint32_t limit) const override {
    return run_of(bytes_to(m), kPayloadBytes, first, limit);
  }
  bool has_payload() const override { return true; }
  std::uint32_t gather(Rank, std::uint32_t, std::span<std::byte>) const override { return 0; }
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override { return nullptr; }

 private:
  Group group_;
};

Program send_one_way(Node& node) {
  const Group all = Group::all(node.shape(), node.rank());
  OneWord message(all);
  const testing::PlanPointer plan = testing::plan_for(node.options(), node.shape(), node.shape());
  Exchange exchange(node, kHandler, all, *plan, message);
  exchange.start();
  EXPECT_EQ(exchange.test(), node.rank() == 2);
  if (node.rank() == 0) {
    EXPECT_EQ(exchange.wait().text(), "packets of its own exchange to leave its output queues");
  }
  if (node.rank() == 1) {
    EXPECT_EQ(exchange.wait().text(), "packets of the exchange at 0 of 1");
  }
  co_await exchange.wait();
  co_await node.barrier();
}

TEST(OutstandingExchanges, WaitForTheirOwnPacketsToLeaveToo) {
  SimMachine machine(Shape::parse("3"));
  machine.run(send_one_way);
  EXPECT_TRUE(machine.finished());
}

TEST(OutstandingExchanges, MayNotStartAgainBeforeEverythingHasLeft) {
  SimMachine machine(Shape::parse("3"));
  Exchanges side(machine.node(0), 1);
  side.exchanges[0].start();
  EXPECT_THROW(side.exchanges[0].start(), RunFailed);
}

}  // namespace
}  // namespace toroid
