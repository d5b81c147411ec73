// Every policy delivers every packet once, on the model and on rings.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/fabric.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/exchange/traffic_messages.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/packet/broken_policy.hpp"
#include "tests/packet/traffic/even_traffic.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::BrokenPolicy;
using testing::EmulatedMachine;
using testing::EvenTraffic;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::UnevenTraffic;

std::unique_ptr<Fabric> sim_fabric(const Shape& shape, const PolicySettings& settings,
                                   const Machine& machine = {}) {
  SimOptions options;
  options.tying = settings.tying;
  return make_sim_fabric(shape, machine, options);
}

std::unique_ptr<Fabric> ring_fabric(const Shape& shape, const PolicySettings& settings,
                                    RingRoute route) {
  RingOptions options = testing::routed(route);
  options.tying = settings.tying;
  return testing::ring_fabric(shape, 2, options);
}

/// Attaches the exchange to all nodes, runs the fabric, and checks that everything has arrived.
void run(TrafficExchange& exchange, std::unique_ptr<Fabric> fabric) {
  EmulatedMachine machine(std::move(fabric), exchange.node_options());
  for (const Rank r : machine.ranks()) exchange.attach(machine.node(r));
  machine.fabric().run();
  EXPECT_TRUE(machine.finished());
  exchange.check();
}

void expect_delivery_on_sim(const Policy& policy, const Traffic& traffic, const Shape& shape) {
  TrafficExchange exchange(policy, traffic, shape, Machine{}, {.seed = 3});
  run(exchange, sim_fabric(shape, exchange.settings()));
}

void expect_delivery_on_rings(const Policy& policy, const Traffic& traffic, const Shape& shape,
                              RingRoute route) {
  TrafficExchange exchange(policy, traffic, shape, Machine{}, {.seed = 3, .payload = true});
  run(exchange, ring_fabric(shape, exchange.settings(), route));
}

TEST(TrafficExchange, DeliversEveryPacketOnceOnTheModel) {
  for (const char* text : {"1", "2", "5m", "3x2", "1x5x2", "3x3x3"})
    for (const Policy* policy : built_in_policies()) {
      SCOPED_TRACE(fmt::format("{} on {}", policy->name(), text));
      const Shape shape = Shape::parse(text);
      expect_delivery_on_sim(*policy, EvenTraffic(shape.size(), 500), shape);
      expect_delivery_on_sim(*policy, UnevenTraffic(shape.size()), shape);
    }
}

TEST(TrafficExchange, DeliversEveryByteOnRings) {
  constexpr std::array kShapes = {"1", "2", "5m", "3x2", "1x5x2"};
  const auto policies = built_in_policies();
  for (const auto& row : testing::combinations({kShapes.size(), policies.size(), 2, 2})) {
    const Policy& policy = *policies[row[1]];
    SCOPED_TRACE(fmt::format("{} on {}", policy.name(), kShapes[row[0]]));
    const Shape shape = Shape::parse(kShapes[row[0]]);
    const RingRoute route = testing::kRoutes[row[2]];
    if (row[3] == 0)
      expect_delivery_on_rings(policy, EvenTraffic(shape.size(), 500), shape, route);
    else
      expect_delivery_on_rings(policy, UnevenTraffic(shape.size()), shape, route);
  }
}

TEST(TrafficExchange, DeliversWithEveryParameter) {
  const Shape shape = Shape::parse("3x4");
  for (const char* name : {"bruck:3", "bruck:5", "bruck:12", "virtual-mesh:1", "virtual-mesh:6",
                           "windowed:1", "windowed:1000", "throttled:10", "throttled:300"}) {
    SCOPED_TRACE(name);
    expect_delivery_on_sim(policy_by_name(name), EvenTraffic(12, 300), shape);
    expect_delivery_on_rings(policy_by_name(name), EvenTraffic(12, 300), shape, RingRoute::torus);
  }
}

TEST(TrafficExchange, DeliversASampleOfThePeers) {
  const Shape shape = Shape::parse("4x3");
  const EvenTraffic traffic(shape.size(), 480);
  for (const char* name : {"random", "random-rounds", "two-phase", "valiant", "windowed:2"}) {
    SCOPED_TRACE(name);
    TrafficExchange exchange(policy_by_name(name), traffic, shape, Machine{}, {.peers = 4});
    run(exchange, sim_fabric(shape, exchange.settings()));
    EXPECT_GT(exchange.last_arrival(), 0u);
  }
  EXPECT_THROW(TrafficExchange(policy_by_name("bruck"), traffic, shape, Machine{}, {.peers = 4}),
               BadInput);
}

TEST(TrafficExchange, DeliversMessagesOfNoBytes) {
  const Shape shape = Shape::parse("2x3");
  for (const Policy* policy : built_in_policies())
    expect_delivery_on_sim(*policy, EvenTraffic(6, 0), shape);
}

TEST(TrafficExchange, KeepsAnEnvelopeOfEightBytesInForwardedPackets) {
  const Shape shape = Shape::parse("2x3");
  const auto packets = [&](const char* name, std::uint64_t bytes) {
    const EvenTraffic traffic(6, bytes);
    const TrafficExchange exchange(policy_by_name(name), traffic, shape, Machine{});
    return TrafficMessages(exchange.plan(), traffic, 0).packets_expected();
  };
  EXPECT_EQ(packets("random", 480), 5u * 2);
  EXPECT_EQ(packets("two-phase", 464), 5u * 2);
  EXPECT_EQ(packets("two-phase", 465), 5u * 3);
}

TEST(TrafficExchange, CountsNoMessagesIfTheyAreCombined) {
  const Shape shape = Shape::parse("2x3");
  const EvenTraffic traffic(6, 480);
  for (const bool combines : {false, true}) {
    const TrafficExchange exchange(policy_by_name(combines ? "bruck" : "random"), traffic, shape,
                                   Machine{});
    const TrafficMessages messages(exchange.plan(), traffic, 0);
    EXPECT_EQ(messages.packets_expected(), combines ? 0u : 5u * 2);
    EXPECT_EQ(messages.arrivals_expected().has_value(), !combines);
  }
}

TEST(TrafficExchange, SendsTwoPhasePacketsByWayOfTheCornerNode) {
  const Shape shape = Shape::parse("5x3");
  const EvenTraffic traffic(15, 464);
  TrafficExchange exchange(policy_by_name("two-phase"), traffic, shape, Machine{});
  run(exchange, sim_fabric(shape, exchange.settings()));
  EXPECT_EQ(exchange.forwarded(), 15u * (4 * 2) * 2);  // pairs that differ in both coordinates
}

TEST(TrafficExchange, AcknowledgesEveryPacketOfAWindow) {
  const Shape shape = Shape::parse("3x3");
  const EvenTraffic traffic(9, 480);
  TrafficExchange exchange(policy_by_name("windowed:2"), traffic, shape, Machine{});
  run(exchange, sim_fabric(shape, exchange.settings()));
  EXPECT_EQ(exchange.acknowledgements(), 9u * 8 * 2);
}

TEST(TrafficExchange, MeasuresTheLatencyOfALonePacket) {
  class OneMessage final : public Traffic {
   public:
    std::string_view name() const override { return "one"; }
    std::uint64_t bytes(Rank from, Rank to) const override {
      return from == 0 && to == 2 ? 240 : 0;
    }
    std::vector<Rank> targets(Rank from) const override {
      return from == 0 ? std::vector<Rank>{2} : std::vector<Rank>{};
    }
    std::vector<Rank> sources(Rank to) const override {
      return to == 2 ? std::vector<Rank>{0} : std::vector<Rank>{};
    }
    Rank draw(Rank, Random&) const override { return 2; }
  };
  const Shape shape = Shape::parse("5");
  const OneMessage traffic;
  TrafficExchange exchange(policy_by_name("random"), traffic, shape, Machine{});
  run(exchange, sim_fabric(shape, exchange.settings()));
  const LatencyHistogram latency = exchange.latency();
  EXPECT_EQ(latency.count(), 1u);
  EXPECT_EQ(latency.permille(500), latency.max());
  EXPECT_GE(latency.max(), 2 * 69u + 1080);
  EXPECT_LE(latency.max(), 2 * 69u + 2 * 1080 + 350);
}

TEST(TrafficExchange, HoldsAThrottledNodeBack) {
  const Shape shape = Shape::parse("4x4");
  const EvenTraffic traffic(16, 240);
  const auto time = [&](const char* name) {
    TrafficExchange exchange(policy_by_name(name), traffic, shape, Machine{});
    run(exchange, sim_fabric(shape, exchange.settings()));
    return exchange.last_arrival();
  };
  const Tick bound = all_to_all_bounds(Machine{}, shape, message_cost(Machine{}, 240)).hottest_link;
  EXPECT_GE(time("throttled:10"), bound * 10 * 14 / 15);  // the first packet leaves at once
  EXPECT_LT(time("throttled:100"), bound * 2);
}

TEST(TrafficExchange, NumbersCombinedPacketsOnASingleNode) {
  const Shape shape = Shape::parse("1");
  const EvenTraffic traffic(1, 240);
  const TrafficExchange exchange(policy_by_name("bruck"), traffic, shape, Machine{});
  const CombiningPlan plan(exchange.plan(), traffic);
  EXPECT_EQ(plan.number(0, 5), 5u);
  EXPECT_EQ(plan.stage(5), 0u);
  EXPECT_EQ(plan.packet(5), 5u);
}

// Wrong policies.

/// The text of the Error that `act` throws; empty if it throws none.
template <typename Error>
std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string failure_of(const Policy& policy, const Shape& shape = Shape::parse("3x2")) {
  const EvenTraffic traffic(shape.size(), 240);
  TrafficExchange exchange(policy, traffic, shape, Machine{});
  return message_of<RunFailed>([&] { run(exchange, sim_fabric(shape, exchange.settings())); });
}

TEST(TrafficExchange, NamesAPolicyThatVisitsItself) {
  class VisitsItself final : public BrokenPolicy {
    Rank visit(Rank, Rank i) const override { return i; }
  };
  EXPECT_THAT(failure_of(VisitsItself()),
              HasSubstr("policy broken: order() of (0,0) visits itself"));
}

/// Node 4 sends to node 1 again instead of to node 3.
class VisitsTwice final : public BrokenPolicy {
  Rank visit(Rank self, Rank i) const override {
    const Rank peer = BrokenPolicy::visit(self, i);
    return self == 4 && peer == 3 ? 1 : peer;
  }
};

TEST(TrafficExchange, NamesThePeerThatAnOrderVisitsTwiceOrLeavesOut) {
  EXPECT_THAT(failure_of(VisitsTwice()),
              StartsWith("policy broken: order() of (2,0) visits (0,1) twice"));
  class LeavesOut final : public BrokenPolicy {
    SendOrder order(const Visitor& visitor) const override {
      return SendOrder(4, [this, self = visitor.self](Rank i) { return visit(self, i); });
    }
  };
  EXPECT_THAT(failure_of(LeavesOut()),
              StartsWith("policy broken: order() of (0,0) leaves out (2,1)"));
}

/// Node 4 sends to node 1 again instead of to node 3, but not in the first round.
class VisitsTwiceLater final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    const Rank self = visitor.self;
    const bool first = visitor.round == 0;
    return SendOrder(visitor.shape.size() - 1, [this, self, first](Rank i) {
      const Rank peer = visit(self, i);
      return !first && self == 4 && peer == 3 ? 1 : peer;
    });
  }
  bool changes_order() const override { return true; }
};

TEST(TrafficExchange, NamesAnOrderThatIsWrongInALaterRound) {
  const Shape shape = Shape::parse("3x2");
  const EvenTraffic traffic(6, 480);
  const VisitsTwiceLater policy;
  TrafficExchange exchange(policy, traffic, shape, Machine{});
  const std::string text =
      message_of<RunFailed>([&] { run(exchange, sim_fabric(shape, exchange.settings())); });
  EXPECT_THAT(text, HasSubstr("policy broken: order() of (2,0) visits (0,1) twice"));
}

/// Is right when it is checked and wrong when it is used: from the second time that node 4 asks for
/// its order, node 4 sends to node 1 again instead of to node 3.
class Unreliable final : public BrokenPolicy {
  SendOrder order(const Visitor& visitor) const override {
    const bool wrong = visitor.self == 4 && asked_++ > 0;
    return SendOrder(visitor.shape.size() - 1, [this, wrong, self = visitor.self](Rank i) {
      const Rank peer = visit(self, i);
      return wrong && peer == 3 ? 1 : peer;
    });
  }
  mutable unsigned asked_ = 0;  ///< number of times that node 4 has asked
};

TEST(TrafficExchange, NamesTheSourceThatANodeWaitsForInVain) {
  const Unreliable policy;
  const Shape shape = Shape::parse("3x2");
  const EvenTraffic traffic(6, 480);
  TrafficExchange exchange(policy, traffic, shape, Machine{});
  EmulatedMachine machine(sim_fabric(shape, exchange.settings()), exchange.node_options());
  for (const Rank r : machine.ranks()) exchange.attach(machine.node(r));
  EXPECT_THAT(
      message_of<RunFailed>([&] { machine.fabric().run(); }),
      HasSubstr("packets of policy broken at 8 of 10 (2 packets from (2,0) to (1,1) lost)"));
  EXPECT_THAT(message_of<RunFailed>([&] { exchange.check(); }),
              HasSubstr("2 packets from (2,0) to (0,1) more"));
}

/// A policy with settings that no node accepts.
class Unfit final : public BrokenPolicy {
 public:
  Unfit(PolicySettings settings, unsigned stages) : settings_(settings), stages_(stages) {}
  PolicySettings settings(const PolicyCase&) const override { return settings_; }
  unsigned stages(const Shape&) const override { return stages_; }

 private:
  PolicySettings settings_;
  unsigned stages_;
};

/// The message with which the exchange is refused when it is made, before anything runs.
std::string refusal_of(const Policy& policy, const Shape& shape, const Traffic& traffic) {
  return message_of<BadInput>([&] { TrafficExchange(policy, traffic, shape, Machine{}); });
}

std::string refusal_of(const PolicySettings& settings, unsigned stages = 1) {
  return refusal_of(Unfit(settings, stages), Shape::parse("3x2"), EvenTraffic(6, 240));
}

TEST(TrafficExchange, RefusalOfImpossibleSettingsNamesThePolicy) {
  EXPECT_EQ(refusal_of(PolicySettings{}), "");
  EXPECT_EQ(refusal_of({}, 0), "policy broken: stages() is 0, expected 1 to 255");
  EXPECT_THAT(refusal_of({}, 300), HasSubstr("stages() is 300"));
  EXPECT_THAT(refusal_of({.output_queues = 0}), HasSubstr("policy broken: output_queues is 0"));
  EXPECT_THAT(refusal_of({.queue_capacity = 0}), HasSubstr("policy broken: queue_capacity is 0"));
  EXPECT_THAT(refusal_of({.output_queues = 3, .queue_per_direction = true}),
              HasSubstr("a queue per direction and cannot have 3 output queues"));
  for (const double between : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_THAT(refusal_of({.throttle = {.cycles_per_packet = between}}),
                HasSubstr("policy broken: cycles_per_packet is"));
}

TEST(TrafficExchange, RefusesSettingsOutOfRangeByNameValueAndRange) {
  EXPECT_EQ(refusal_of({.drain = static_cast<DrainRule>(3)}),
            "policy broken: drain is 3, expected 0 to 2 (least-full, first-fit, round-robin)");
  const std::pair<PolicySettings, const char*> kWrong[] = {
      {{.order = static_cast<OrderRule>(255)}, "order is 255, expected 0 to 2 (random,"},
      {{.packets_per_visit = 0x1000001}, "packets_per_visit is 16777217, expected 0 to 16777216"},
      {{.output_queues = ~0u}, "output_queues is 4294967295, expected 1 to 32767"},
      {{.queue_capacity = ~0u}, "queue_capacity is 4294967295, expected 1 to 16777216"},
      {{.tying = static_cast<FifoTying>(200)}, "tying is 200, expected 0 to 2 (per-direction,"},
      {{.routing = static_cast<RoutingRule>(7)}, "routing is 7, expected 0 to 3 (adaptive,"},
      {{.tie = static_cast<TieRule>(7)}, "tie is 7, expected 0 to 6 (parity,"},
      {{.throttle = {.cycles_per_packet = 1e300}}, "cycles_per_packet is 1e+300, expected 0 to"},
      {{.throttle = {.window = ~0u}}, "window is 4294967295, expected 0 to 16777216"},
  };
  for (const auto& [settings, text] : kWrong) EXPECT_THAT(refusal_of(settings), HasSubstr(text));
}

TEST(TrafficExchange, RefusesRelaysIfNodesAreDead) {
  const Shape shape =
      Shape::parse("4x4").with_failures(FailureList{.links = {}, .nodes = {"(1,0)"}});
  const auto traffic = make_traffic("all-to-all", shape, 480, 1);
  for (const Policy* policy : built_in_policies()) {
    const bool relays = policy->stages(shape) > 1 || policy->combines();
    EXPECT_EQ(refusal_of(*policy, shape, *traffic),
              relays
                  ? fmt::format("policy {}: it sends by way of other nodes, and some nodes of this "
                                "machine are dead",
                                policy->name())
                  : "");
  }
}

TEST(TrafficExchange, RefusesMessagesOfMorePacketsThanCanBeNumbered) {
  const Shape shape = Shape::parse("241");
  const std::uint64_t most = std::uint64_t{1} << 24;  // packets, if 8 bits hold the source's rank
  const auto refusal = [&](const Traffic& traffic) {
    return refusal_of(policy_by_name("random"), shape, traffic);
  };
  EXPECT_EQ(refusal(EvenTraffic(241, most * 240)), "");
  EXPECT_THAT(refusal(EvenTraffic(241, most * 240 + 1)), HasSubstr("messages of 16777217 packets"));
  for (const char* name : {"hotspot:1", "all-to-all"}) {
    const auto traffic = make_traffic(name, shape, (std::uint64_t{1} << 32) * 240, 1);
    EXPECT_THAT(refusal(*traffic),
                HasSubstr("too long: at most 16777216 packets of a message can be numbered"))
        << name;
  }
}

TEST(TrafficExchange, NamesARelayThatLeadsNowhere) {
  class LeadsNowhere final : public BrokenPolicy {
    unsigned stages(const Shape&) const override { return 2; }
    Rank relay(const Shape&, const Waypoint&) const override { return 77; }
  };
  EXPECT_THAT(failure_of(LeadsNowhere()),
              HasSubstr("policy broken: relay() leads from (0,0) to a node that does not exist "
                        "(rank 77, expected 0 to 5)"));
}

TEST(TrafficExchange, RefusesAReleaseTimeBeyondTheLastOne) {
  class NeverReleases final : public BrokenPolicy {
    bool has_releases() const override { return true; }
    Tick release(const Shape&, Rank, Rank to) const override { return to == 2 ? ~Tick{0} : 0; }
  };
  EXPECT_THAT(failure_of(NeverReleases()),
              HasSubstr("policy broken: release() of (0,0) for (1,0) is cycle "
                        "18446744073709551615, expected 0 to 281474976710656"));
}

TEST(TrafficExchange, RefusesAComputedOrderOfMoreVisitsThanPeers) {
  class VisitsOften final : public BrokenPolicy {
    SendOrder order(const Visitor& visitor) const override {
      return {3000000000u, [self = visitor.self](Rank i) { return (self + i + 1) % 1056; }};
    }
  };
  EXPECT_THAT(
      failure_of(VisitsOften(), Shape::parse("32x33")),
      HasSubstr("policy broken: order() of (0,0) makes 3000000000 visits, expected at most 1055"));
}

// Sums that the exchange checks.

Arrivals all_of(const Shape& shape, Rank to, std::uint32_t packets) {
  Arrivals sum;
  for (Rank from = 0; from < shape.size(); ++from)
    if (from != to) sum.add(from, 0, packets);
  return sum;
}

TEST(Conservation, NamesTheSourceOfALostOrSurplusPacket) {
  const Shape shape = Shape::parse("3x4");
  const Arrivals expected = all_of(shape, 0, 3);
  EXPECT_FALSE(difference(shape, 0, expected, expected));
  for (Rank from = 1; from < shape.size(); ++from) {
    Arrivals more = expected;
    more.add(from, 1);
    const std::string name = shape.coord_text(from);
    EXPECT_EQ(*difference(shape, 0, more, expected),
              fmt::format("1 packet from {} to (0,0) lost", name));
    EXPECT_EQ(*difference(shape, 0, expected, more),
              fmt::format("1 packet from {} to (0,0) more than expected", name));
  }
}

TEST(Conservation, NamesBothSourcesOfALostAndASurplusPacket) {
  const Shape shape = Shape::parse("3x4");
  for (Rank lost = 1; lost < shape.size(); ++lost)
    for (Rank twice = 1; twice < shape.size(); ++twice) {
      if (lost == twice) continue;
      Arrivals expected = all_of(shape, 0, 1), received = expected;
      expected.add(lost, 1);
      received.add(twice, 0);
      const std::string text = *difference(shape, 0, expected, received);
      EXPECT_THAT(text, HasSubstr("from " + shape.coord_text(lost) + " to (0,0) lost"));
      EXPECT_THAT(text, HasSubstr("from " + shape.coord_text(twice) + " more"));
    }
}

TEST(Conservation, NoticesAPacketThatReplacedAnother) {
  const Shape shape = Shape::parse("3x4");
  Arrivals expected, received;
  expected.add(3, 0, 2);
  received.add(3, 0);
  received.add(3, 0);
  EXPECT_THAT(*difference(shape, 0, expected, received),
              HasSubstr("received 2 packets of 2, but not each exactly once"));
}

TEST(Conservation, KnowsTheSumsOfAnAllToAllInClosedForm) {
  for (const char* text : {"1", "2", "3x5"}) {
    const Shape shape = Shape::parse(text);
    const EvenTraffic traffic(shape.size(), 700);
    const TrafficExchange exchange(policy_by_name("random"), traffic, shape, Machine{});
    for (Rank to = 0; to < shape.size(); ++to)
      EXPECT_EQ(TrafficMessages(exchange.plan(), traffic, to).expected(), all_of(shape, to, 3))
          << text;
  }
}

TEST(Latency, PercentilesAreWithinAnEighth) {
  LatencyHistogram latency;
  for (Tick t = 1; t <= 100000; ++t) latency.add(t);
  EXPECT_EQ(latency.count(), 100000u);
  EXPECT_EQ(latency.max(), 100000u);
  for (const unsigned permille : {1u, 10u, 500u, 990u, 999u}) {
    const double exact = 100.0 * permille;
    EXPECT_GE(latency.permille(permille), exact);
    EXPECT_LE(latency.permille(permille), exact * 1.125);
  }
  EXPECT_EQ(LatencyHistogram().permille(500), 0u);
}

TEST(Latency, CountsEveryValueInABucketThatHoldsIt) {
  for (std::uint64_t value = 0; value <= UINT32_MAX; value = value * 17 / 16 + 1) {
    LatencyHistogram latency;
    latency.add(value);
    latency.add(UINT32_MAX);
    EXPECT_GE(latency.permille(500), value);
    EXPECT_LE(latency.permille(500), value + value / 8);
  }
}

}  // namespace
}  // namespace toroid
