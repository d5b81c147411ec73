// Policies that differ from the patent's only in their send order.
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hal/keyed_permutation.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/builders.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::policies {
namespace {

/// An order by rank offsets: visit i of node s goes to s + map[i] modulo the number of nodes, and
/// all nodes use the same map, a permutation of 1..nodes-1. So in visit i no node visits itself and
/// no two nodes visit the same node.
class SameSeed final : public NamedPolicy {
 public:
  SameSeed()
      : NamedPolicy("same-seed", "U.S. Pat. 7,315,877 (2008): the control for its private maps",
                    "every node sends in the same direction at the same time") {}
  SendOrder order(const Visitor& visitor) const override {
    const Rank nodes = visitor.shape.size();
    const KeyedPermutation map(nodes - 1, mix64(visitor.seed));
    return SendOrder(nodes - 1, [self = visitor.self, nodes, map](Rank i) {
      const Rank peer = self + 1 + map(i);
      return peer < nodes ? peer : peer - nodes;
    });
  }
};

/// The order by one of SendOrder's own rules.
class RuledOrder final : public NamedPolicy {
 public:
  RuledOrder(OrderRule rule, std::string name, std::string_view source, std::string_view known)
      : NamedPolicy(std::move(name), source, known), rule_(rule) {}
  SendOrder order(const Visitor& visitor) const override {
    return {rule_, visitor.self, visitor.shape.size(), visitor.private_seed()};
  }

 private:
  OrderRule rule_;
};

/// Element i of the sequence self^1, self^2, ... after all numbers that are not below `nodes` have
/// been left out. Steps with the same higher bits lead to an aligned block of numbers, so it is
/// known how many of these are below `nodes`, and the block can be skipped as a whole.
Rank xor_peer(Rank nodes, Rank self, Rank i) {
  Rank left = i + 1;  // step 0 is the node itself
  Rank step = 0;
  for (Rank size = std::bit_ceil(nodes) / 2; size > 0; size /= 2) {
    const Rank block = (self ^ step) & ~(size - 1);
    const Rank there = block >= nodes ? 0 : std::min(size, nodes - block);
    if (left < there) continue;
    left -= there;
    step |= size;
  }
  return self ^ step;
}

class Xor final : public NamedPolicy {
 public:
  Xor()
      : NamedPolicy(
            "xor", "pairwise exchange, usual for all-to-all on hypercubes and in MPI libraries",
            "pairs exchange undisturbed on a hypercube; on a torus distant partners share links") {}
  SendOrder order(const Visitor& visitor) const override {
    const Rank nodes = visitor.shape.size();
    const Rank self = visitor.self;
    return SendOrder(nodes - 1, [nodes, self](Rank i) { return xor_peer(nodes, self, i); });
  }
};

class RandomRounds final : public NamedPolicy {
 public:
  RandomRounds()
      : NamedPolicy("random-rounds",
                    "variation of U.S. Pat. 7,315,877 (2008): a new map every round d",
                    "as good as one map for all rounds") {}
  SendOrder order(const Visitor& visitor) const override {
    Visitor now = visitor;
    now.seed += visitor.round;
    return {OrderRule::random, now.self, now.shape.size(), now.private_seed()};
  }
  bool changes_order() const override { return true; }
};

}  // namespace

SendOrder RandomOrderPolicy::order(const Visitor& visitor) const {
  return {OrderRule::random, visitor.self, visitor.shape.size(), visitor.private_seed()};
}

PolicyPointer random_policy(unsigned) {
  return std::make_unique<RandomOrderPolicy>(
      "random", "U.S. Pat. 7,315,877 (2008), FIG. 9: a random map, private to each node",
      "98.9 % of peak on 8x8x8 with 480 B; IBM measured 64 % on 64x32x32, about 70 % on 40x32x16");
}
PolicyPointer same_seed_policy(unsigned) {
  return std::make_unique<SameSeed>();
}
PolicyPointer rank_policy(unsigned) {
  return std::make_unique<RuledOrder>(
      OrderRule::rank, "rank", "the order that U.S. Pat. 7,315,877 (2008) argues against",
      "64 % of peak on 8x8x8 with 480 B: all nodes send to the same node at the same time");
}
PolicyPointer shift_policy(unsigned) {
  return std::make_unique<RuledOrder>(
      OrderRule::shift, "shift", "linear shift; the prose to FIG. 9 of U.S. Pat. 7,315,877",
      "69 % of peak on 8x8x8 with 480 B: the minus links idle at first");
}
PolicyPointer xor_policy(unsigned) {
  return std::make_unique<Xor>();
}
PolicyPointer random_rounds_policy(unsigned) {
  return std::make_unique<RandomRounds>();
}

}  // namespace toroid::policies
