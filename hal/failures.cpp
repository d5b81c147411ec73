#include "hal/failures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "hal/node_and_link_names.hpp"
#include "hal/parse_number.hpp"
#include "hal/random.hpp"

namespace toroid {

Failures::Failures(const Shape& shape, const FailureList& list)
    : shape_(shape),
      list_(list),
      broken_(shape.size()),
      exits_(shape.size()),
      dead_(shape.size()),
      living_(shape.size()),
      reach_(std::size_t{shape.size()} << shape.dims()),
      clear_hops_(reach_.size()) {
  if (shape.is_twisted()) throw BadInput("failed links and nodes are not modelled on twisted tori");
  for (std::string& link : list_.links) add(link, false);
  for (std::string& node : list_.nodes) add(node, true);
  std::ranges::stable_sort(deaths_, {}, &Death::at);
  may_change_ = !deaths_.empty();
  find_exits();
  unsigned stride = 1;
  for (unsigned d = shape.dims(); d-- > 0; stride *= width_[d]) {
    const bool half = shape.wraps(d) && !list.long_ways;
    width_[d] = half ? shape.extent(d) / 2 + 1 : shape.extent(d);
    stride_[d] = stride;
  }
}

Failures::~Failures() {
  forget_ways();
}

namespace {

/// Splits a text such as "(0,0,0)X+@5000" into the place that fails and the cycle in which it
/// fails. There is no cycle if the text has no '@'. Throws BadInput if the cycle is wrong.
std::pair<std::string_view, std::optional<Tick>> split_death(std::string_view text) {
  const std::size_t mark = text.find('@');
  if (mark == std::string_view::npos) return {text, std::nullopt};
  const auto at = parse_number<Tick>(text.substr(mark + 1));
  if (!at || *at < 1 || *at > kLastTick)
    throw BadInput(fmt::format("'{}': bad cycle after '@'; expected a whole number from 1 to 2^62",
                               shortened(text)));
  return {text.substr(0, mark), at};
}

}  // namespace

void Failures::add(std::string& text, bool is_node) {
  const auto [place, at] = split_death(text);
  std::optional<Direction> link;
  Rank node = 0;
  if (is_node) {
    node = parse_node_name(shape_, place);
  } else {
    const LinkPlace found = parse_link_name(shape_, place);
    node = found.node;
    link = found.direction;
  }
  if (at.value_or(1) > 1) return deaths_.push_back({*at, node, link});
  fail(node, link);
  text.resize(place.size());
}

void Failures::fail(Rank node, std::optional<Direction> link) {
  if (link) return cut(node, *link);
  if (!dead_[node]) --living_;
  dead_[node] = true;
  for (std::uint8_t l = 0; l < shape_.links(); ++l)
    if (shape_.neighbour(node, {l})) cut(node, {l});
}

void Failures::let_die(const Death& death) {
  TOROID_CHECK(may_change_);
  fail(death.node, death.link);
  forget_ways();
  find_exits();
}

std::string Failures::text(const Death& death) const {
  const std::string node = shape_.coord_text(death.node);
  return fmt::format("{} failed at cycle {}",
                     death.link ? node + death.link->name() : "node " + node, death.at);
}

void Failures::cut(Rank node, Direction link) {
  const Rank other = shape_.neighbour(node, link).value();
  broken_[node] = static_cast<std::uint16_t>(broken_[node] | 1u << link.index);
  broken_[other] = static_cast<std::uint16_t>(broken_[other] | 1u << link.opposite().index);
}

void Failures::find_exits() {
  std::ranges::fill(exits_, std::uint16_t{0});
  for (Rank node = 0; node < shape_.size(); ++node)
    for (std::uint8_t l = 0; l < shape_.links(); ++l)
      if (works(node, {l}) && shape_.neighbour(node, {l}))
        exits_[node] = static_cast<std::uint16_t>(exits_[node] | 1u << l);
}

void Failures::forget_ways() {
  for (auto& reach : reach_) delete reach.exchange(nullptr, std::memory_order_relaxed);
  for (auto& clear : clear_hops_) clear.store(0, std::memory_order_relaxed);
}

unsigned Failures::hops(unsigned d, unsigned from, unsigned to, bool minus) const {
  const unsigned k = shape_.extent(d);
  const unsigned round = minus ? from + k - to : to + k - from;  // a division would be slow
  return round < k ? round : round - k;
}

const Failures::Reach& Failures::reach(Rank to, unsigned minus) const {
  std::atomic<const Reach*>& place = reach_[index(to, minus)];
  if (const Reach* made = place.load(std::memory_order_acquire)) return *made;
  auto mine = std::make_unique<const Reach>(look_back(to, minus));
  const Reach* found = nullptr;
  // Several threads may compute this table at the same time. Their tables are equal, and the first
  // one stored is kept. The release pairs with the acquire of the load above.
  if (place.compare_exchange_strong(found, mine.get(), std::memory_order_acq_rel))
    return *mine.release();
  return *found;
}

/// Goes to the next node of the box before `end` (see Reach). The hops left in the last dimension
/// change fastest.
inline void Failures::step_back(const Coord& end, unsigned minus, HopsLeft& left, Coord& at) const {
  for (unsigned d = shape_.dims(); d-- > 0;) {
    if (++left[d] < width_[d]) {
      const unsigned k = shape_.extent(d);
      at[d] = static_cast<std::uint8_t>((at[d] + ((minus >> d & 1u) != 0 ? 1u : k - 1u)) % k);
      return;
    }
    left[d] = 0;
    at[d] = end[d];
  }
}

/// Works backwards from the destination: a node reaches it if a working link leads to a node that
/// reaches it. Clear hops are the smallest number of hops left among the nodes where some direction
/// does not lead on; at most 255, to fit into a byte.
Failures::Reach Failures::look_back(Rank to, unsigned minus) const {
  const Coord end = shape_.coord(to);
  Reach reach(std::size_t{width_[0]} * stride_[0]);
  reach[0] = is_alive(to);
  unsigned clear = reach[0] ? 255 : 0;
  HopsLeft left{};
  Coord at = end;
  for (std::size_t i = 1; i < reach.size(); ++i) {
    step_back(end, minus, left, at);
    const unsigned exits = exits_[shape_.rank(at)];
    bool some_leads_on = false;
    bool all_lead_on = true;
    for (unsigned d = 0; d < shape_.dims(); ++d) {
      if (left[d] == 0) continue;
      const bool leads_on =
          (exits >> (2 * d + (minus >> d & 1u)) & 1u) != 0 && reach[i - stride_[d]];
      some_leads_on |= leads_on;
      all_lead_on &= leads_on;
    }
    reach[i] = some_leads_on;
    if (!all_lead_on) clear = std::min(clear, std::accumulate(left.begin(), left.end(), 0u));
  }
  clear_hops_[index(to, minus)].store(static_cast<std::uint8_t>(clear), std::memory_order_relaxed);
  return reach;
}

DirectionSet Failures::passable(Rank here, Rank to, DirectionSet directions) const {
  const Coord from = shape_.coord(here);
  const Coord end = shape_.coord(to);
  Route left{.hops = {}, .directions = directions};
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    const bool minus = directions.has(Direction::minus(d));
    TOROID_CHECK_IN_CHECKED_BUILD((minus || directions.has(Direction::plus(d))) ==
                                  (from[d] != end[d]));
    const unsigned count = hops(d, from[d], end[d], minus);
    if (count >= width_[d]) return {};
    left.hops[d] = static_cast<std::uint8_t>(count);
  }
  return passable(here, to, left);
}

DirectionSet Failures::passable_in_box(Rank here, Rank to, unsigned minus,
                                       const Route& left) const {
  std::size_t place = 0;
  for (unsigned d = 0; d < shape_.dims(); ++d) place += std::size_t{left.hops[d]} * stride_[d];
  return open(here, reach(to, minus), place, left.directions);
}

/// Which dimensions are left is hard to predict, so the loop covers all of them without branches.
inline DirectionSet Failures::open(Rank here, const Reach& reach, std::size_t place,
                                   DirectionSet directions) const {
  const unsigned working = directions.bits() & ~unsigned{broken_[here]};
  unsigned closed = 0;
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    const std::size_t goes = (directions.bits() >> 2 * d & 3u) != 0 ? 1 : 0;
    closed |= (reach[place - goes * stride_[d]] ? 0u : 3u) << 2 * d;
  }
  return DirectionSet(static_cast<std::uint16_t>(working & ~closed));
}

bool Failures::has_ordered_way(Rank from, Rank to, DirectionSet hints) const {
  const Coord end = shape_.coord(to);
  for (unsigned rest = hints.bits(); rest != 0; rest &= rest - 1) {
    const Direction link{static_cast<std::uint8_t>(std::countr_zero(rest))};
    while (shape_.coord(from)[link.dim()] != end[link.dim()]) {
      if (!works(from, link)) return false;
      from = shape_.neighbour(from, link).value();
    }
  }
  return is_alive(to);
}

bool Failures::leaves_way(Rank from, Rank to, DirectionSet hints, bool dynamic) const {
  TOROID_CHECK_IN_CHECKED_BUILD(route_along(shape_, shape_.coord(from), shape_.coord(to), hints));
  if (!is_alive(from) || !is_alive(to)) return false;
  if (hints.empty()) return true;
  return dynamic ? !passable(from, to, hints).empty() : has_ordered_way(from, to, hints);
}

std::optional<DirectionSet> Failures::detour(Rank from, Rank to, DirectionSet hints,
                                             bool dynamic) const {
  if (leaves_way(from, to, hints, dynamic)) return hints;
  const Coord start = shape_.coord(from);
  const Coord end = shape_.coord(to);
  const unsigned fewest = minimal_hops(shape_, start, end);
  std::vector<std::tuple<unsigned, int, unsigned>> others;  // hops, dimensions turned, hint bits
  for (unsigned turned = 1; turned < 1u << shape_.dims(); ++turned) {
    unsigned bits = hints.bits();
    for (unsigned d = 0; d < shape_.dims(); ++d)
      if ((turned >> d & 1u) != 0) bits ^= 3u << 2 * d;
    const auto route =
        route_along(shape_, start, end, DirectionSet(static_cast<std::uint16_t>(bits)));
    if (!route || (!list_.long_ways && route->total_hops() > fewest)) continue;
    others.emplace_back(route->total_hops(), std::popcount(turned), bits);
  }
  std::ranges::sort(others);
  for (const auto& [hops, turns, bits] : others) {
    const DirectionSet other(static_cast<std::uint16_t>(bits));
    if (leaves_way(from, to, other, dynamic)) return other;
  }
  return std::nullopt;
}

std::optional<DirectionSet> Failures::way(Rank from, Rank to, bool dynamic) const {
  Random unused(1);
  const auto hints =
      minimal_directions(shape_, shape_.coord(from), shape_.coord(to), TieRule::plus, unused);
  return detour(from, to, hints, dynamic);
}

void Failures::check_pairs(bool dynamic, const PeersOf& peers_of) const {
  std::string first;
  std::uint64_t cut = 0;
  for (Rank from = 0; from < shape_.size(); ++from) {
    if (!is_alive(from)) continue;
    std::vector<Rank> peers = peers_of(from);
    std::ranges::sort(peers);
    const auto repeated = std::ranges::unique(peers);
    peers.erase(repeated.begin(), repeated.end());
    for (const Rank to : peers) {
      if (from == to || !is_alive(to) || way(from, to, dynamic)) continue;
      if (cut++ == 0)
        first = fmt::format("from {} to {}", shape_.coord_text(from), shape_.coord_text(to));
    }
  }
  if (cut == 0) return;
  const std::string_view kind = !dynamic ? "dimension-ordered " : list_.long_ways ? "" : "minimal ";
  throw BadInput(one_line(
      fmt::format("no {}path {}, the first of {} pairs that failed links cut off{}", kind, first,
                  cut, list_.long_ways ? "" : "; --long-way allows the longer way round")));
}

}  // namespace toroid
