// The orders, paths and names of the built-in policies, compared with enumerations.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;

void expect_every_peer_once(const SendOrder& order, Rank self, Rank nodes) {
  std::vector<unsigned> visits(nodes, 0);
  ASSERT_EQ(order.size(), nodes - 1);
  for (const Rank peer : order) {
    ASSERT_LT(peer, nodes);
    ++visits[peer];
  }
  for (Rank r = 0; r < nodes; ++r) ASSERT_EQ(visits[r], r == self ? 0u : 1u) << "peer " << r;
}

std::vector<Rank> visits_of(const SendOrder& order) {
  std::vector<Rank> peers;
  for (const Rank peer : order) peers.push_back(peer);
  return peers;
}

TEST(Policies, VisitEveryPeerOnceInEveryRound) {
  for (const char* text :
       {"1", "2", "3", "7m", "1x5", "2x2", "2x3x5", "4x4m", "13", "8x4x2", "1x1x6m"})
    for (const Policy* policy : built_in_policies()) {
      SCOPED_TRACE(fmt::format("{} on {}", policy->name(), text));
      const Shape shape = Shape::parse(text);
      for (Rank self = 0; self < shape.size(); ++self)
        for (std::uint32_t round = 0; round < 2; ++round)
          expect_every_peer_once(policy->order({shape, self, 5, round, self}), self, shape.size());
    }
}

TEST(Policies, VisitEveryPeerOnceOnLargeMachines) {
  for (const char* text : {"16x9x8", "41x31m"})
    for (const Policy* policy : built_in_policies()) {
      SCOPED_TRACE(fmt::format("{} on {}", policy->name(), text));
      const Shape shape = Shape::parse(text);
      for (const Rank self : {Rank{0}, shape.size() / 2, shape.size() - 1})
        expect_every_peer_once(policy->order({shape, self, 5, 0, self}), self, shape.size());
    }
}

TEST(Policies, SameSeedNodesVisitDifferentPeers) {
  const Shape shape = Shape::parse("3x5");
  std::vector<SendOrder> orders;
  for (Rank self = 0; self < shape.size(); ++self)
    orders.push_back(policy_by_name("same-seed").order({shape, self, 9, 0, self}));
  for (Rank visit = 0; visit + 1 < shape.size(); ++visit) {
    std::set<Rank> aims;
    for (const SendOrder& order : orders) aims.insert(order[visit]);
    EXPECT_EQ(aims.size(), shape.size());
  }
}

TEST(Policies, XorExchangesInPairsOnPowersOfTwo) {
  const Shape shape = Shape::parse("4x4");
  for (Rank self = 0; self < shape.size(); ++self) {
    const SendOrder order = policy_by_name("xor").order({shape, self, 1, 0, self});
    for (Rank visit = 0; visit < order.size(); ++visit) EXPECT_EQ(order[visit], self ^ (visit + 1));
  }
}

TEST(Policies, XorSkipsNodesThatDoNotExist) {
  for (Rank nodes = 1; nodes <= 40; ++nodes)
    for (Rank self = 0; self < nodes; ++self) {
      std::vector<Rank> expected;
      for (Rank step = 1; step < std::bit_ceil(nodes); ++step)
        if ((self ^ step) < nodes) expected.push_back(self ^ step);
      const Shape shape = Shape::parse(std::to_string(nodes));
      const SendOrder order = policy_by_name("xor").order({shape, self, 1, 0, self});
      EXPECT_EQ(visits_of(order), expected);
    }
}

TEST(Policies, FarthestFirstVisitsTheFarthestFirst) {
  for (const char* text : {"5x4", "6mx3", "2x2x2", "7"}) {
    const Shape shape = Shape::parse(text);
    for (Rank self = 0; self < shape.size(); ++self) {
      unsigned before = ~0u;
      for (const Rank peer : policy_by_name("farthest-first").order({shape, self, 3, 0, self})) {
        const unsigned hops = minimal_hops(shape, shape.coord(self), shape.coord(peer));
        ASSERT_LE(hops, before) << text;
        before = hops;
      }
    }
  }
}

TEST(Policies, ChangeTheirOrderEveryRoundOnlyIfTheySaySo) {
  const Shape shape = Shape::parse("4x5");
  for (const Policy* policy : built_in_policies()) {
    const bool equal = visits_of(policy->order({shape, 3, 1, 0, 3})) ==
                       visits_of(policy->order({shape, 3, 1, 1, 3}));
    EXPECT_EQ(equal, !policy->changes_order()) << policy->name();
  }
}

/// The nodes through which a packet passes, the origin first.
std::vector<Rank> way(const Policy& policy, const Shape& shape, Rank origin, Rank to) {
  std::vector<Rank> nodes = {origin};
  const unsigned stages = policy.stages(shape);
  for (unsigned stage = 0; stage < stages; ++stage) {
    const Waypoint packet{stage, nodes.back(), origin, to, mix64(origin * 1000 + to)};
    nodes.push_back(stage + 1 < stages ? policy.relay(shape, packet) : to);
  }
  return nodes;
}

TEST(Policies, ReachTheDestinationByTheirOwnRelays) {
  for (const char* text : {"1", "2x3", "5x2x3", "4mx4", "7", "2x1x3x2"})
    for (const Policy* policy : built_in_policies()) {
      const Shape shape = Shape::parse(text);
      const unsigned last = policy->stages(shape) - 1;
      for (Rank from = 0; from < shape.size(); ++from)
        for (Rank to = 0; to < shape.size(); ++to) {
          const std::vector<Rank> nodes = way(*policy, shape, from, to);
          for (const Rank node : nodes) ASSERT_LT(node, shape.size());
          const Waypoint end{last, nodes[last], from, to, 1};
          ASSERT_EQ(policy->relay(shape, end), to) << policy->name() << " on " << text;
        }
    }
}

TEST(Policies, TwoPhaseGoesByTheCornerOfTheLongestDimension) {
  const Shape shape = Shape::parse("3x6x4");
  const Coord from{{1, 2, 3}}, to{{2, 5, 0}}, corner{{1, 5, 3}};
  EXPECT_EQ(way(policy_by_name("two-phase"), shape, shape.rank(from), shape.rank(to)),
            (std::vector<Rank>{shape.rank(from), shape.rank(corner), shape.rank(to)}));
}

TEST(Policies, ThreePhaseSettlesADimensionAtATime) {
  const Shape shape = Shape::parse("3x6x4");
  const Coord from{{1, 2, 3}}, to{{2, 5, 0}}, x{{2, 2, 3}}, xy{{2, 5, 3}};
  EXPECT_EQ(way(policy_by_name("three-phase"), shape, shape.rank(from), shape.rank(to)),
            (std::vector<Rank>{shape.rank(from), shape.rank(x), shape.rank(xy), shape.rank(to)}));
}

/// Number of messages of a combining policy, counted by following every block.
std::size_t messages(const Policy& policy, const Shape& shape) {
  std::set<std::tuple<unsigned, Rank, Rank>> all;
  for (Rank from = 0; from < shape.size(); ++from)
    for (Rank to = 0; to < shape.size(); ++to) {
      const std::vector<Rank> nodes = way(policy, shape, from, to);
      for (unsigned s = 0; s + 1 < nodes.size(); ++s)
        if (nodes[s] != nodes[s + 1]) all.emplace(s, nodes[s], nodes[s + 1]);
    }
  return all.size();
}

TEST(Policies, CombiningSendsAsManyMessagesAsItsPublicationsSay) {
  const Shape cube = Shape::parse("3x4x5");
  EXPECT_EQ(messages(policy_by_name("three-phase"), cube), 60u * (2 + 3 + 4));
  EXPECT_EQ(messages(policy_by_name("virtual-mesh"), cube), 60u * (5 + 9));  // 6 rows of 10
  EXPECT_EQ(messages(policy_by_name("virtual-mesh:4"), cube), 60u * (14 + 3));
  EXPECT_EQ(messages(policy_by_name("virtual-mesh"), Shape::parse("7")), 7u * 6);
  EXPECT_EQ(messages(policy_by_name("bruck"), Shape::parse("4x4")), 16u * 4);
  EXPECT_EQ(messages(policy_by_name("bruck:4"), Shape::parse("4x4")), 16u * 6);
  EXPECT_EQ(messages(policy_by_name("bruck"), Shape::parse("13")), 13u * 4);
  EXPECT_EQ(messages(policy_by_name("bruck:100"), Shape::parse("13")), 13u * 12);
}

TEST(Policies, AreFoundByTheirNames) {
  for (const Policy* policy : built_in_policies()) {
    EXPECT_EQ(&policy_by_name(policy->name()), policy);
    EXPECT_FALSE(policy->source().empty());
    EXPECT_FALSE(policy->known_result().empty());
  }
  EXPECT_EQ(policy_by_name("bruck").name(), "bruck:2");
  EXPECT_EQ(&policy_by_name("windowed:3"), &policy_by_name("windowed:3"));
}

void expect_refused(std::string_view name, std::string_view why) {
  try {
    policy_by_name(name);
    ADD_FAILURE() << name;
  } catch (const BadInput& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Policies, VirtualMeshRefusesRowsThatLeaveHoles) {
  const auto refusal = [](const char* name, const char* shape) -> std::string {
    try {
      policy_by_name(name).stages(Shape::parse(shape));
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("virtual-mesh:7", "8x8"),
            "policy virtual-mesh:7: 64 nodes cannot form 7 equal rows; expected 4 or 8");
  EXPECT_THAT(refusal("virtual-mesh:100", "8x8"), HasSubstr("; expected 64"));
  EXPECT_THAT(refusal("virtual-mesh:5", "13"), HasSubstr("; expected 1 or 13"));
  EXPECT_EQ(refusal("virtual-mesh:16", "8x8"), "");
  EXPECT_EQ(refusal("virtual-mesh", "13"), "");
}

TEST(Policies, AreListedInTheirDocument) {
  std::ifstream file(TOROID_SOURCE_DIR "/docs/POLICIES.md");
  std::ostringstream document;
  document << file.rdbuf();
  for (const Policy* policy : built_in_policies()) {
    const std::string_view name = policy->name().substr(0, policy->name().find(':'));
    const std::string_view parameter = policy_parameter(name);
    std::string row = fmt::format("| `{}` | {}", name, policy_definition(name));
    if (!parameter.empty())
      row = fmt::format("| `{}:N` | {}; N: {}", name, policy_definition(name), parameter);
    row += fmt::format(" | {} | {} |\n", policy->source(), policy->known_result());
    EXPECT_THAT(document.str(), HasSubstr(row));
  }
}

TEST(Policies, RefusalsNameTheChoices) {
  expect_refused("frob", "known: random, same-seed");
  expect_refused("", "known: random");
  expect_refused("random:3", "no parameter");
  expect_refused("bruck:1", "2 to");
  expect_refused("bruck:", "radix");
  expect_refused("bruck:-2", "radix");
  expect_refused("bruck:4x", "radix");
  expect_refused("windowed:0", "1 to");
}

TEST(Policies, ThrottledSendsAtTheRateOfTheBound) {
  const Shape shape = Shape::parse("4x4");
  const Machine machine;
  const auto traffic = make_traffic("all-to-all", shape, 480, 1);
  const double cycles = 16 * 4 / 8 * 2 * 270 / 0.25;  // cycles of the hottest link, for 30 packets
  EXPECT_EQ(policy_by_name("throttled:50")
                .settings({shape, machine, *traffic})
                .throttle.cycles_per_packet,
            cycles / 30 * 2);
}

}  // namespace
}  // namespace toroid
