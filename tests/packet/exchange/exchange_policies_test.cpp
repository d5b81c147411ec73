// Repeated exchanges under every built-in policy, on every fabric: each time, every message arrives
// once, at the right place. Nodes outside the group are not involved.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/packet/exchange/indexed_messages.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid {
namespace {

using testing::combinations;
using testing::EmulatedMachine;
using testing::GroupSlice;
using testing::IndexedMessages;
using testing::kHandler;
using testing::kMachines;
using testing::on_machine;
using testing::PolicySetup;

/// Blocks of 500 equal bytes. The value of the bytes follows from round, source and destination.
class Blocks {
 public:
  Blocks(const Group& group, const ExchangePlan& plan)
      : blocks_(plan.shape(), group.self(), 500, plan.data_bytes()), group_(group) {}
  Messages& messages() { return blocks_; }
  void set_round(std::uint64_t round) {
    round_ = round;
    for (Rank m = 0; m < group_.size(); ++m) std::ranges::fill(blocks_.to(m), value(self(), m));
  }
  void expect_complete() {
    for (Rank m = 0; m < group_.size(); ++m) {
      if (m == self()) continue;
      const std::byte expected = value(m, self());
      ASSERT_TRUE(std::ranges::all_of(blocks_.from(m), [&](std::byte b) { return b == expected; }))
          << m << " to " << self();
    }
  }

 private:
  Rank self() const { return group_.self(); }
  std::byte value(Rank from, Rank to) const {
    return static_cast<std::byte>(1 + round_ * 61 + from * 17 + to * 5);
  }
  BlockMessages blocks_;
  Group group_;
  std::uint64_t round_ = 0;
};

/// Messages of uneven length. None is empty: without a barrier (in_turn), a node that waits for no
/// message could start its next exchange too early.
class Uneven {
 public:
  Uneven(const Group& group, const ExchangePlan& plan) : indexed_(group, plan.data_bytes(), 1) {}
  Messages& messages() { return indexed_; }
  void set_round(std::uint64_t round) { indexed_.set_round(round); }
  void expect_complete() { indexed_.expect_complete(); }

 private:
  IndexedMessages indexed_;
};

/// Messages whose packets carry no payload.
class Uncarried {
 public:
  Uncarried(const Group&, const ExchangePlan& plan)
      : uniform_(plan.shape(), 500, plan.data_bytes()) {}
  Messages& messages() { return uniform_; }
  void set_round(std::uint64_t) {}
  void expect_complete() {}

 private:
  UniformMessages uniform_;
};

/// A node's ends of two exchanges. They live as long as the run.
template <typename Data>
struct Ends {
  Ends(Node& node, const PolicySetup& setup) {
    const Group group = setup.group(node.rank());
    for (unsigned e = 0; e < 2; ++e)
      exchanges.emplace_back(node, static_cast<HandlerId>(kHandler + e * setup.plan->handlers()),
                             group, *setup.plan, data.emplace_back(group, *setup.plan).messages());
  }
  std::deque<Data> data;
  std::deque<Exchange> exchanges;
};

/// Number of packets that the fabric has handed to these nodes for their exchanges.
template <typename Data>
std::uint64_t deliveries(const std::deque<Ends<Data>>& all) {
  std::uint64_t sum = 0;
  for (const Ends<Data>& ends : all)
    for (const Exchange& exchange : ends.exchanges)
      sum += exchange.received().value() + exchange.forwarded() + exchange.acknowledgements();
  return sum;
}

/// Repeats two exchanges without a barrier: each one starts when the other is complete.
template <typename Data>
Program in_turn(Node&, Ends<Data>* ends, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    ends->data[round % 2].set_round(round);
    ends->exchanges[round % 2].start();
    const Exchange& exchange = ends->exchanges[round % 2];
    co_await exchange.wait();
    ends->data[round % 2].expect_complete();
  }
}

/// Repeats one exchange, with a barrier after each time.
template <typename Data>
Program repeat(Node& node, Ends<Data>* ends, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    ends->data[0].set_round(round);
    ends->exchanges[0].start();
    const Exchange& exchange = ends->exchanges[0];
    co_await exchange.wait();
    ends->data[0].expect_complete();
    co_await node.barrier();
  }
}

/// Number of ways to repeat an exchange: with one of the two programs above, on one of the
/// machines.
constexpr std::size_t kWays = 2 * kMachines;

/// All groups exchange at the same time.
template <typename Data>
void expect_repeated_exchanges(const PolicySetup& setup, std::size_t way) {
  SCOPED_TRACE(fmt::format("way {}", way));
  on_machine(way / 2, setup.machine, setup.nodes, [&](EmulatedMachine& machine) {
    std::deque<Ends<Data>> all;
    for (Rank r = 0; r < machine.size(); ++r) all.emplace_back(machine.node(r), setup);
    machine.run([&](Node& node) {
      Ends<Data>* const ends = &all[node.rank()];
      return way % 2 == 0 ? in_turn<Data>(node, ends, 4) : repeat<Data>(node, ends, 4);
    });
    EXPECT_TRUE(machine.finished());
  });
}

Program idle(Node&) {
  co_return;
}

/// Only the group of the last node exchanges. Other nodes have no handlers, so a packet that
/// reached one of them would end the run.
template <typename Data>
void expect_exchange_of_one_group(const PolicySetup& setup, std::size_t number) {
  const Group active = setup.group(setup.machine.size() - 1);
  on_machine(number, setup.machine, setup.nodes, [&](EmulatedMachine& machine) {
    std::deque<Ends<Data>> all;
    for (Rank m = 0; m < active.size(); ++m) all.emplace_back(machine.node(active.rank(m)), setup);
    machine.run([&](Node& node) {
      const Rank member = setup.group(node.rank()).self();
      return active.rank(member) == node.rank() ? in_turn<Data>(node, &all[member], 3) : idle(node);
    });
    EXPECT_TRUE(machine.finished());
    EXPECT_EQ(machine.counters().delivered, deliveries(all));
  });
}

struct Place {
  const char* torus;
  GroupSlice slice{};
};

/// Machines of one node, of few nodes, of odd and prime numbers of nodes, and meshes. Planes and
/// lines of larger machines.
const std::vector<Place> kPlaces = {{"1"},
                                    {"2"},
                                    {"5"},
                                    {"7m"},
                                    {"1x3x1"},
                                    {"3x4m"},
                                    {"2x3x2", {1, 3}},
                                    {"3x2x2", {0, 2}},
                                    {"2x5x2", {1, 2}},
                                    {"3x1x4m", {2, 3}}};

/// A policy, where it runs, and the way in which the exchange is repeated.
struct Case {
  const Policy& policy;
  const Place& place;
  std::size_t way;
};

void for_each_case(const std::vector<Place>& places, std::size_t ways,
                   const std::function<void(const Case&)>& visit) {
  const auto policies = built_in_policies();
  for (const auto& row : combinations({policies.size(), places.size(), ways})) {
    const Case c{*policies[row[0]], places[row[1]], row[2]};
    SCOPED_TRACE(fmt::format("{} on {} [{}, {})", c.policy.name(), c.place.torus,
                             c.place.slice.first, c.place.slice.last));
    visit(c);
  }
}

TEST(ExchangePolicies, DeliverBlocksRepeatedly) {
  for_each_case(kPlaces, kWays, [](const Case& c) {
    expect_repeated_exchanges<Blocks>({c.policy, c.place.torus, c.place.slice}, c.way);
  });
}

TEST(ExchangePolicies, DeliverUnevenMessagesIdentifiedByPlace) {
  for_each_case(kPlaces, kWays, [](const Case& c) {
    expect_repeated_exchanges<Uneven>({c.policy, c.place.torus, c.place.slice}, c.way);
  });
}

TEST(ExchangePolicies, DeliverUnevenMessagesIdentifiedByNumber) {
  for_each_case(kPlaces, kWays, [](const Case& c) {
    expect_repeated_exchanges<Uneven>({c.policy, c.place.torus, c.place.slice, {.seed = 7}}, c.way);
  });
}

TEST(ExchangePolicies, DeliverPacketsWithoutPayload) {
  for_each_case(kPlaces, kWays, [](const Case& c) {
    expect_repeated_exchanges<Uncarried>(
        {c.policy, c.place.torus, c.place.slice, {.payload = false}}, c.way);
  });
}

TEST(ExchangePolicies, StayWithinTheGroup) {
  const std::vector<Place> places = {
      {"2x3x2", {1, 3}}, {"3x2x3m", {0, 2}}, {"2x5x2", {1, 2}}, {"3x1x4", {2, 3}}};
  for_each_case(places, 2 * kMachines, [](const Case& c) {
    if (c.way % 2 == 0)
      expect_exchange_of_one_group<Uneven>({c.policy, c.place.torus, c.place.slice}, c.way / 2);
    else
      expect_exchange_of_one_group<Uncarried>(
          {c.policy, c.place.torus, c.place.slice, {.payload = false}}, c.way / 2);
  });
}

/// Exchanges uneven messages on a whole machine if `which` is 0, otherwise blocks on a slice of
/// another machine.
void expect_uneven_or_blocks(const PolicySetup& uneven, const PolicySetup& blocks,
                             std::size_t which, std::size_t way) {
  if (which == 0)
    expect_repeated_exchanges<Uneven>(uneven, way);
  else
    expect_repeated_exchanges<Blocks>(blocks, way);
}

/// Policies with parameters that change the number of stages, windows or rounds.
TEST(ExchangePolicies, DeliverEverythingWithAnyParameter) {
  const std::vector<const char*> names = {"bruck:3",        "bruck:12",       "bruck:100",
                                          "virtual-mesh:1", "virtual-mesh:6", "windowed:1",
                                          "windowed:3",     "throttled:10",   "throttled:1000"};
  for (const auto& row : combinations({names.size(), 2, kWays})) {
    const Policy& policy = policy_by_name(names[row[0]]);
    SCOPED_TRACE(names[row[0]]);
    expect_uneven_or_blocks({policy, "3x4"}, {policy, "2x6x2", {1, 3}}, row[1], row[2]);
  }
}

/// Queues of one packet, visits of one packet or of more than a message has, more queues than
/// peers.
TEST(ExchangePolicies, DeliverEverythingWithExtremeSettings) {
  const std::vector<PolicySetup::Alter> alterations = {
      [](PolicySettings& s) { s.queue_capacity = 1; },
      [](PolicySettings& s) { s.packets_per_visit = 1000; },
      [](PolicySettings& s) { s.queue_capacity = 1, s.packets_per_visit = 2; },
      [](PolicySettings& s) { s.output_queues = s.queue_per_direction ? 1 : 64; },
      [](PolicySettings& s) {
        s.output_queues = s.queue_per_direction ? 1 : 3;
        s.queue_capacity = 1;
        s.packets_per_visit = 3;
      }};
  const auto policies = built_in_policies();
  for (const auto& row : combinations({policies.size(), alterations.size(), 2 * kWays})) {
    const Policy& policy = *policies[row[0]];
    const PolicySetup::Alter& alter = alterations[row[1]];
    SCOPED_TRACE(fmt::format("{}, alteration {}", policy.name(), row[1]));
    expect_uneven_or_blocks({policy, "3x3", {}, {.places = true}, alter},
                            {policy, "2x5m", {1, 2}, {.places = true}, alter}, row[2] % 2,
                            row[2] / 2);
  }
}

/// Every rule for order, drain, tying, routing and ties, under a plain policy, one that relays, one
/// that combines and one with a window.
TEST(ExchangePolicies, DeliverEverythingUnderEveryRule) {
  const std::vector<const char*> names = {"random", "two-phase", "bruck:3", "windowed:2"};
  for (const auto& row : combinations({names.size(), kTieRuleNames.size(), kWays})) {
    const std::size_t n = row[1];
    SCOPED_TRACE(fmt::format("{}, rules {}", names[row[0]], n));
    const auto alter = [n](PolicySettings& s) {
      s.order = static_cast<OrderRule>(n % kOrderRuleNames.size());
      s.drain = static_cast<DrainRule>(n % kDrainRuleNames.size());
      s.tying = static_cast<FifoTying>(n / 2 % kFifoTyingNames.size());
      s.routing = static_cast<RoutingRule>(n % kRoutingRuleNames.size());
      s.tie = static_cast<TieRule>(n % kTieRuleNames.size());
    };
    expect_repeated_exchanges<Uneven>(
        {policy_by_name(names[row[0]]), "3x4", {}, {.places = true}, alter}, row[2]);
  }
}

}  // namespace
}  // namespace toroid
