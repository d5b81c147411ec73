#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/keyed_permutation.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

std::vector<Rank> visited(const SendOrder& order) {
  std::vector<Rank> peers;
  for (const Rank peer : order) peers.push_back(peer);
  return peers;
}

void expect_every_peer_once(const SendOrder& order, Rank self, Rank members) {
  std::vector<unsigned> visits(members, 0);
  for (const Rank peer : order) {
    ASSERT_LT(peer, members);
    ++visits[peer];
  }
  ASSERT_EQ(order.size(), members - 1);
  for (Rank r = 0; r < members; ++r) ASSERT_EQ(visits[r], r == self ? 0u : 1u) << "peer " << r;
}

TEST(SendOrder, VisitsEveryPeerOnceInSmallGroups) {
  for (Rank members = 1; members <= 50; ++members)
    for (Rank self = 0; self < members; ++self)
      for (const auto rule : {OrderRule::random, OrderRule::rank, OrderRule::shift})
        for (std::uint64_t seed = 0; seed < 3; ++seed)
          expect_every_peer_once(SendOrder(rule, self, members, seed), self, members);
}

TEST(SendOrder, VisitsEveryPeerOnceInLargeGroups) {
  for (const Rank members : {1024u, 1025u, 1026u, 1500u, 4096u, 4097u, 65536u})
    for (const Rank self : {0u, 1u, members / 2, members - 1})
      for (const std::uint64_t seed : {1ull, 2ull, ~0ull})
        expect_every_peer_once(SendOrder(OrderRule::random, self, members, seed), self, members);
}

TEST(SendOrder, DiffersWithTheSeed) {
  for (const Rank members : {20u, 1025u, 2000u}) {
    const auto one = visited(SendOrder(OrderRule::random, 0, members, 1));
    EXPECT_EQ(one, visited(SendOrder(OrderRule::random, 0, members, 1)));
    EXPECT_NE(one, visited(SendOrder(OrderRule::random, 0, members, 2)));
  }
}

/// Number of places at which two orders agree. Two independent orders agree at one place on
/// average.
std::size_t agreements(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

TEST(SendOrder, AgreesOnlyByChanceForNeighbouringSeeds) {
  for (const Rank members : {500u, 3000u}) {
    std::size_t total = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      total += agreements(visited(SendOrder(OrderRule::random, 0, members, seed)),
                          visited(SendOrder(OrderRule::random, 0, members, seed + 1)));
    EXPECT_LT(total, 100u) << members;  // 50 are expected, with a standard deviation of 7
  }
}

TEST(SendOrder, RankGoesUpFromNodeZero) {
  EXPECT_EQ(visited(SendOrder(OrderRule::rank, 2, 5, 1)), (std::vector<Rank>{0, 1, 3, 4}));
}

TEST(SendOrder, ShiftBeginsAfterItself) {
  EXPECT_EQ(visited(SendOrder(OrderRule::shift, 2, 5, 1)), (std::vector<Rank>{3, 4, 0, 1}));
  EXPECT_EQ(visited(SendOrder(OrderRule::shift, 4, 5, 1)), (std::vector<Rank>{0, 1, 2, 3}));
  EXPECT_EQ(visited(SendOrder(OrderRule::shift, 0, 5, 1)), (std::vector<Rank>{1, 2, 3, 4}));
}

TEST(SendOrder, LimitedToWantedPeersKeepsTheirOrder) {
  for (const Rank members : {2u, 9u, 1500u})
    for (const auto rule : {OrderRule::random, OrderRule::rank, OrderRule::shift}) {
      const Rank self = members / 3;
      const SendOrder whole(rule, self, members, 4);
      std::vector<Rank> wanted, expected;
      for (Rank r = 0; r < members; r += 3)
        if (r != self) wanted.push_back(r);
      for (const Rank peer : whole)
        if (peer % 3 == 0) expected.push_back(peer);
      EXPECT_EQ(visited(whole.only(wanted)), expected) << members;
      const SendOrder cut = whole.first(members / 2);
      std::vector<Rank> expected_of_cut;
      for (const Rank peer : cut)
        if (peer % 3 == 0) expected_of_cut.push_back(peer);
      EXPECT_EQ(visited(cut.only(wanted)), expected_of_cut) << members;
      const SendOrder computed(whole.size(), [&](Rank i) { return whole[i]; });
      EXPECT_EQ(visited(computed.only(wanted)), expected) << members;
    }
}

TEST(KeyedPermutation, IsUndoneByItsInverse) {
  for (const std::uint32_t count : {1u, 2u, 3u, 64u, 1000u, 4097u})
    for (std::uint32_t i = 0; i < count; ++i) {
      const KeyedPermutation bijection(count, 11);
      ASSERT_LT(bijection(i), count);
      ASSERT_EQ(bijection.inverse(bijection(i)), i);
    }
}

TEST(SendOrder, AcceptsAnExplicitOrder) {
  const std::vector<Rank> by_hand = {4, 0, 3, 1};
  EXPECT_EQ(visited(SendOrder(by_hand)), by_hand);
}

/// Chi-square of the peers at one place over many seeds, in standard deviations from its mean.
double spread(Rank members, Rank place, unsigned seeds) {
  std::vector<double> seen(members, 0);
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    seen[SendOrder(OrderRule::random, 0, members, seed)[place]] += 1;
  const double freedom = members - 2;
  const double expected = seeds / (members - 1.0);
  double chi_square = 0;
  for (Rank r = 1; r < members; ++r) chi_square += std::pow(seen[r] - expected, 2) / expected;
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(SendOrder, ComputesPeersOnceIfTheyAreStored) {
  unsigned asked = 0;
  const auto backwards = [&asked](Rank visits) {
    return SendOrder(visits, [&asked, visits](Rank i) {
      ++asked;
      return visits - i;
    });
  };
  const SendOrder order = backwards(SendOrder::kStoredPeers);
  EXPECT_EQ(order[0], SendOrder::kStoredPeers);
  EXPECT_EQ(visited(order).back(), 1u);
  EXPECT_EQ(asked, SendOrder::kStoredPeers);
  EXPECT_EQ(visited(order.only({3, 5, 7})), (std::vector<Rank>{7, 5, 3}));

  asked = 0;
  const SendOrder larger = backwards(SendOrder::kStoredPeers + 1);
  EXPECT_EQ(asked, 0u);
  EXPECT_EQ(larger[0], SendOrder::kStoredPeers + 1);
}

TEST(SendOrder, SpreadsPeersEvenlyOverPlaces) {
  for (const Rank members : {17u, 1400u})
    for (const Rank place : {Rank{0}, members / 2, members - 2})
      EXPECT_LT(std::abs(spread(members, place, 20 * members)), 5) << members << ' ' << place;
}

TEST(SendOrder, CutToItsFirstPeersIsTheBeginningOfTheWholeOrder) {
  for (const Rank members : {1u, 2u, 50u, 4096u}) {
    const SendOrder whole(OrderRule::random, members / 2, members, 7);
    for (const Rank n : {0u, 1u, 20u, 5000u}) {
      const SendOrder cut = whole.first(n);
      ASSERT_EQ(cut.size(), std::min(n, members - 1));
      for (Rank i = 0; i < cut.size(); ++i) ASSERT_EQ(cut[i], whole[i]);
    }
  }
}

}  // namespace
}  // namespace toroid
