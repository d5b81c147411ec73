#include "hal/send_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "hal/check.hpp"
#include "hal/random.hpp"

namespace toroid {
namespace {

std::vector<Rank> shuffled(Rank count, std::uint64_t seed) {
  std::vector<Rank> map(count);
  std::iota(map.begin(), map.end(), Rank{0});
  Random random(seed);
  for (Rank i = count; i > 1; --i) std::swap(map[i - 1], map[random.below(i)]);
  return map;
}

}  // namespace

SendOrder::SendOrder(OrderRule rule, Rank self, Rank members, std::uint64_t seed)
    : rule_(rule), self_(self), peers_(members - 1), visits_(peers_), key_(mix64(seed)) {
  CHECK_LT(self, members);
  if (rule != OrderRule::random) return;
  if (peers_ <= kStoredPeers)
    stored_ = std::make_shared<std::vector<Rank>>(shuffled(peers_, key_));
  else
    half_bits_ = (static_cast<unsigned>(std::bit_width(peers_)) + 1) / 2;
}

SendOrder::SendOrder(Rank self, std::vector<Rank> peers)
    : rule_(OrderRule::random),
      self_(self),
      peers_(static_cast<Rank>(peers.size())),
      visits_(peers_),
      key_(0) {
  for (Rank& peer : peers) {
    CHECK(peer != self && peer <= peers_);
    if (peer > self) --peer;
  }
  stored_ = std::make_shared<std::vector<Rank>>(std::move(peers));
}

SendOrder SendOrder::first(Rank n) const {
  SendOrder cut = *this;
  cut.visits_ = std::min(n, visits_);
  return cut;
}

/// Places 0..peers-1 stand for the members without self.
Rank SendOrder::operator[](Rank i) const {
  const Rank place = this->place(i);
  return place < self_ ? place : place + 1;
}

Rank SendOrder::place(Rank i) const {
  if (stored_) return (*stored_)[i];
  if (rule_ == OrderRule::rank) return i;
  if (rule_ == OrderRule::shift) return self_ + i < peers_ ? self_ + i : self_ + i - peers_;
  do i = bijection(i);
  while (i >= peers_);  // cycle walking: fewer than four steps on average
  return i;
}

/// A four-round Feistel network on 2·half_bits_ bits: a permutation for every key.
Rank SendOrder::bijection(Rank i) const {
  const Rank mask = (Rank{1} << half_bits_) - 1;
  Rank left = i >> half_bits_;
  Rank right = i & mask;
  for (std::uint64_t round = 0; round < 4; ++round) {
    const auto f = static_cast<Rank>(mix64(key_ + (round << 32) + right) >> 32) & mask;
    left = std::exchange(right, left ^ f);
  }
  return left << half_bits_ | right;
}

}  // namespace toroid
