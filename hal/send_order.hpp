// The order in which a node visits its peers: the patent's random_map, and its alternatives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "hal/keyed_permutation.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// How the order is made. Source of `random`: patent, FIG. 9, step 904. The patent argues against
/// the other orders.
enum class OrderRule : std::uint8_t {
  random,  ///< a seeded permutation, private to the node
  rank,    ///< 0, 1, 2, ...: all nodes aim at the same peer at the same time
  shift,   ///< self+1, self+2, ... modulo the number of nodes: the "(i+1) mod" of the patent's
           ///< prose
};
inline constexpr std::array<std::string_view, 3> kOrderRuleNames = {"random", "rank", "shift"};

/// Peers in the order of their visits: a permutation of the n-1 peers of member `self` among
/// members 0..n-1, or of some of them. Memory does not grow with the machine: an order of up to
/// kStoredPeers peers is stored; a longer random order is computed by a keyed permutation.
class SendOrder {
 public:
  static constexpr Rank kStoredPeers = 1024;

  /// REQUIRES: self < members.
  SendOrder(OrderRule rule, Rank self, Rank members, std::uint64_t seed);
  /// An explicit order (such as the patent's example), of all peers or some.
  explicit SendOrder(std::vector<Rank> peers);
  /// A computed order: visit i, below `visits`, goes to peer_at(i). An order of up to kStoredPeers
  /// visits is computed at once and stored.
  SendOrder(Rank visits, std::function<Rank(Rank)> peer_at);

  /// The same order cut off after n visits, to sample the traffic.
  SendOrder first(Rank n) const;
  /// The same order without the peers that are not in `wanted`, which is ascending. The time is
  /// proportional to the length of `wanted` if a peer's place in the order can be computed,
  /// otherwise to the length of the whole order.
  SendOrder only(const std::vector<Rank>& wanted) const;

  Rank size() const { return visits_; }
  /// Whether the order was given as a list, or was computed by a given function and is stored.
  bool is_list() const { return std::holds_alternative<Stored>(source_) && self_ == ~Rank{0}; }
  /// Whether each visit is computed by a given function when it is asked for.
  bool is_function() const { return std::holds_alternative<Computed>(source_); }
  Rank operator[](Rank i) const;
  /// Prefetches the memory that [] touches.
  void prefetch(Rank i) const {
    if (places_ != nullptr) __builtin_prefetch(places_ + i);
  }

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  Rank computed_place(Rank i) const;
  /// The number of the visit that goes to `peer`; none if it is not a peer. REQUIRES: places follow
  /// from the rule or a bijection.
  std::optional<Rank> visit_of(Rank peer) const;

  void store(std::vector<Rank> places);

  using Stored = std::shared_ptr<const std::vector<Rank>>;
  using Computed = std::shared_ptr<const std::function<Rank(Rank)>>;

  const Rank* places_ = nullptr;  ///< the stored places; null if none are stored
  Rank self_ = ~Rank{0};          ///< larger than any rank if places are the peers themselves
  Rank peers_;
  Rank visits_;  ///< the number of visits in the order
  OrderRule rule_ = OrderRule::rank;
  /// The source of the places; monostate if they follow from the rule.
  std::variant<std::monostate, Stored, KeyedPermutation, Computed> source_;
};

/// A place is the number of a peer, from 0, among the members other than self.
inline Rank SendOrder::operator[](Rank i) const {
  const Rank place = places_ != nullptr ? places_[i] : computed_place(i);
  return place < self_ ? place : place + 1;
}

class SendOrder::Iterator {
 public:
  using value_type = Rank;
  using difference_type = std::ptrdiff_t;
  Iterator(const SendOrder& order, Rank i) : order_(&order), i_(i) {}
  Rank operator*() const { return (*order_)[i_]; }
  Iterator& operator++() {
    ++i_;
    return *this;
  }
  bool operator==(const Iterator& other) const { return i_ == other.i_; }

 private:
  const SendOrder* order_;
  Rank i_;
};

inline SendOrder::Iterator SendOrder::begin() const {
  return {*this, 0};
}
inline SendOrder::Iterator SendOrder::end() const {
  return {*this, visits_};
}

}  // namespace toroid
