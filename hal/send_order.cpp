#include "hal/send_order.hpp"

#include <algorithm>
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

std::vector<Rank> computed(Rank count, const std::function<Rank(Rank)>& place_at) {
  std::vector<Rank> places(count);
  for (Rank i = 0; i < count; ++i) places[i] = place_at(i);
  return places;
}

/// [rank]: whether `ranks`, which is ascending, contains it.
std::vector<bool> marks(const std::vector<Rank>& ranks) {
  std::vector<bool> marked(ranks.empty() ? 0 : std::size_t{ranks.back()} + 1, false);
  for (const Rank rank : ranks) marked[rank] = true;
  return marked;
}

}  // namespace

SendOrder::SendOrder(OrderRule rule, Rank self, Rank members, std::uint64_t seed)
    : self_(self), peers_(members - 1), visits_(peers_), rule_(rule) {
  TOROID_CHECK_LT(self, members);
  if (rule != OrderRule::random) return;
  const std::uint64_t key = mix64(seed);
  if (peers_ <= kStoredPeers)
    store(shuffled(peers_, key));
  else
    source_ = KeyedPermutation(peers_, key);
}

SendOrder::SendOrder(std::vector<Rank> peers)
    : peers_(static_cast<Rank>(peers.size())), visits_(peers_) {
  store(std::move(peers));
}

SendOrder::SendOrder(Rank visits, std::function<Rank(Rank)> peer_at)
    : peers_(visits), visits_(visits) {
  if (visits <= kStoredPeers)
    store(computed(visits, peer_at));
  else
    source_ = std::make_shared<const std::function<Rank(Rank)>>(std::move(peer_at));
}

void SendOrder::store(std::vector<Rank> places) {
  auto stored = std::make_shared<const std::vector<Rank>>(std::move(places));
  places_ = stored->data();
  source_ = std::move(stored);
}

SendOrder SendOrder::first(Rank n) const {
  SendOrder cut = *this;
  cut.visits_ = std::min(n, visits_);
  return cut;
}

SendOrder SendOrder::only(const std::vector<Rank>& wanted) const {
  std::vector<Rank> peers;
  if (std::holds_alternative<Stored>(source_) || std::holds_alternative<Computed>(source_)) {
    const std::vector<bool> is_wanted = marks(wanted);
    for (const Rank peer : *this)
      if (peer < is_wanted.size() && is_wanted[peer]) peers.push_back(peer);
    return SendOrder(std::move(peers));
  }
  std::vector<std::pair<Rank, Rank>> visits;  // number, peer
  for (const Rank peer : wanted)
    if (const auto visit = visit_of(peer); visit && *visit < visits_)
      visits.emplace_back(*visit, peer);
  std::ranges::sort(visits);
  for (const auto& visit : visits) peers.push_back(visit.second);
  return SendOrder(std::move(peers));
}

Rank SendOrder::computed_place(Rank i) const {
  if (const auto* bijection = std::get_if<KeyedPermutation>(&source_)) return (*bijection)(i);
  if (const auto* computed = std::get_if<Computed>(&source_)) return (**computed)(i);
  if (rule_ == OrderRule::rank) return i;
  return self_ + i < peers_ ? self_ + i : self_ + i - peers_;
}

std::optional<Rank> SendOrder::visit_of(Rank peer) const {
  TOROID_CHECK(std::holds_alternative<std::monostate>(source_) ||
               std::holds_alternative<KeyedPermutation>(source_));
  if (peer == self_ || peer > peers_) return std::nullopt;
  const Rank place = peer < self_ ? peer : peer - 1;
  if (const auto* bijection = std::get_if<KeyedPermutation>(&source_))
    return bijection->inverse(place);
  if (rule_ == OrderRule::rank) return place;
  return place >= self_ ? place - self_ : place + peers_ - self_;
}

}  // namespace toroid
