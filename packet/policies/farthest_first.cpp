// The policy that visits the farthest peers first, equally far ones in random order. It needs no
// table of peers, because the number of peers at each distance follows from the extents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hal/keyed_permutation.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/builders.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::policies {
namespace {

/// The coordinates of one dimension, by their distance from `from`.
std::vector<std::vector<std::uint8_t>> by_distance(const Shape& shape, unsigned d, unsigned from) {
  const unsigned k = shape.extent(d);
  std::vector<std::vector<std::uint8_t>> at(k);
  for (unsigned c = 0; c < k; ++c) {
    const unsigned apart = c < from ? from - c : c - from;
    at[shape.wraps(d) ? std::min(apart, k - apart) : apart].push_back(static_cast<std::uint8_t>(c));
  }
  while (at.back().empty()) at.pop_back();
  return at;
}

class Distances {
 public:
  Distances(const Shape& shape, Rank self, std::uint64_t key) : shape_(shape), key_(key) {
    const Coord here = shape.coord(self);
    for (unsigned d = 0; d < shape.dims(); ++d) at_.push_back(by_distance(shape, d, here[d]));
    counts_.assign(shape.dims() + 1, {1});
    for (unsigned d = shape.dims(); d-- > 0;) counts_[d] = convolved(at_[d], counts_[d + 1]);
  }

  /// The peer at place `number` of the order, which begins with the farthest peers at 0.
  Rank peer(Rank number) const {
    auto distance = static_cast<unsigned>(counts_[0].size()) - 1;
    while (number >= counts_[0][distance]) number -= counts_[0][distance--];
    const KeyedPermutation shuffle(counts_[0][distance], mix64(key_ + distance));
    return at(distance, shuffle(number));
  }

 private:
  using Counts = std::vector<Rank>;  ///< [distance]

  static Counts convolved(const std::vector<std::vector<std::uint8_t>>& at, const Counts& rest) {
    Counts sum(at.size() + rest.size() - 1, 0);
    for (std::size_t a = 0; a < at.size(); ++a)
      for (std::size_t b = 0; b < rest.size(); ++b)
        sum[a + b] += static_cast<Rank>(at[a].size()) * rest[b];
    return sum;
  }

  /// Node `number` among the nodes at this distance.
  Rank at(unsigned distance, Rank number) const {
    Coord coord;
    for (unsigned d = 0; d < shape_.dims(); ++d)
      for (unsigned apart = 0; apart < at_[d].size() && apart <= distance; ++apart) {
        const Counts& rest = counts_[d + 1];
        const Rank each = distance - apart < rest.size() ? rest[distance - apart] : 0;
        const Rank all = each * static_cast<Rank>(at_[d][apart].size());
        if (number < all) {
          coord[d] = at_[d][apart][number / each];
          number %= each;
          distance -= apart;
          break;
        }
        number -= all;
      }
    return shape_.rank(coord);
  }

  Shape shape_;
  std::uint64_t key_;
  std::vector<std::vector<std::vector<std::uint8_t>>> at_;  ///< [dimension][distance]: coordinates
  std::vector<Counts> counts_;  ///< [dimension][distance]: nodes at this distance in this and later
                                ///< dimensions together
};

class FarthestFirst final : public NamedPolicy {
 public:
  FarthestFirst()
      : NamedPolicy("farthest-first", "longest first, the usual rule for lists of unequal jobs",
                    "messages with long ways are not left to the end, but at the start all nodes "
                    "load every link") {}
  SendOrder order(const Visitor& visitor) const override {
    const auto distances = std::make_shared<const Distances>(visitor.shape, visitor.self,
                                                             mix64(visitor.private_seed()));
    return SendOrder(visitor.shape.size() - 1, [distances](Rank i) { return distances->peer(i); });
  }
};

}  // namespace

PolicyPointer farthest_first_policy(unsigned) {
  return std::make_unique<FarthestFirst>();
}

}  // namespace toroid::policies
