// The default choices favour no dimension and no side of a ring: hardly any other rule for ties is
// faster, and traffic whose axes are exchanged takes as long.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/node/runner.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

/// The cycle in which the last packet arrives.
Tick time_of(const Shape& shape, const Machine& machine, const Traffic& traffic,
             const SettingChanges& changes, std::uint64_t seed) {
  TrafficExchangeOptions options;
  options.seed = seed;
  options.changes = changes;
  TrafficExchange exchange(policy_by_name("random"), traffic, shape, machine, options);
  SimOptions sim;
  sim.routing.link_seed = seed;
  const auto fabric = make_sim_fabric(shape, machine, sim);
  Runner runner(*fabric, exchange.node_options());
  for (Node& node : runner.nodes()) exchange.attach(node);
  runner.run();
  return exchange.last_arrival();
}

using Extents = std::vector<unsigned>;

Shape shape_of(const Extents& extents) {
  return Shape::parse(fmt::format("{}", fmt::join(extents, "x")));
}

/// Extents from 1 to `most` in `dims` dimensions.
Extents random_extents(Random& random, unsigned dims, unsigned most) {
  Extents extents(dims);
  for (unsigned& k : extents) k = 1 + random.below(most);
  return extents;
}

unsigned nodes_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1u, std::multiplies<>());
}

// Ties.

Tick median_time(const Shape& shape, const std::string& traffic, TieRule rule) {
  std::array<Tick, 5> times{};
  for (std::uint64_t seed = 1; seed <= times.size(); ++seed)
    times[seed - 1] =
        time_of(shape, Machine(), *make_traffic(traffic, shape, 2400, seed), {.tie = rule}, seed);
  std::ranges::sort(times);
  return times[2];
}

/// How much slower than the best rule the default may be. Where all nodes send to one, a ring of
/// two nodes is faster under rules that use one of its links only: adaptive packets leave their
/// column later, and fewer meet in the destination's.
double allowed(const Extents& extents, const std::string& traffic) {
  if (traffic == "incast" && std::ranges::count(extents, 2u) > 0) return 1.2;
  return nodes_of(extents) < 8 ? 1.1 : 1.05;
}

TEST(FairChoices, NoRuleForTiesIsMuchFasterThanTheDefault) {
  Random random(48);
  const unsigned most = testing::is_thorough() ? 1000 : 40;
  for (unsigned left = testing::by_set(20u, 200u); left > 0;) {
    const Extents extents = random_extents(random, 1 + random.below(4), 12);
    const bool has_ties = std::ranges::any_of(extents, [](unsigned k) { return k % 2 == 0; });
    if (!has_ties || nodes_of(extents) > most) continue;
    --left;
    const Shape shape = shape_of(extents);
    for (const std::string traffic : {"all-to-all", "neighbour", "halo", "incast"}) {
      const auto time = static_cast<double>(median_time(shape, traffic, TieRule::alternate));
      for (const TieRule rule :
           {TieRule::parity, TieRule::split, TieRule::plus, TieRule::minus, TieRule::balanced})
        EXPECT_LE(time, allowed(extents, traffic) *
                            static_cast<double>(median_time(shape, traffic, rule)))
            << shape.text() << ' ' << traffic << ' '
            << kTieRuleNames[static_cast<std::size_t>(rule)];
    }
  }
}

// Axes.

using Message = std::pair<Coord, Coord>;

/// Random messages: one stream, all to one node, all to all, or pairs.
std::vector<Message> random_messages(const Shape& shape, Random& random) {
  std::vector<Message> messages;
  const Rank size = shape.size();
  const auto add = [&](Rank a, Rank b) {
    if (a != b) messages.emplace_back(shape.coord(a), shape.coord(b));
  };
  const Rank one = random.below(size);
  switch (random.below(4)) {
    case 0:
      add(one, (one + 1 + random.below(size - 1)) % size);
      break;
    case 1:
      for (Rank a = 0; a < size; ++a) add(a, one);
      break;
    case 2:
      for (Rank a = 0; a < size; ++a)
        for (Rank b = 0; b < size; ++b) add(a, b);
      break;
    default:
      for (unsigned i = 0; i < 4 * size; ++i) add(random.below(size), random.below(size));
  }
  return messages;
}

struct Spread {
  double least, median, most;
};

/// The times of nine seeds if axis d of the torus is axis order[d] of `extents`.
Spread times_of(const Extents& extents, const std::vector<unsigned>& order,
                const std::vector<Message>& messages, RoutingRule routing) {
  const auto moved = [&](const Coord& coord) {
    Coord to;
    for (unsigned d = 0; d < order.size(); ++d) to[d] = coord[order[d]];
    return to;
  };
  Extents exchanged;
  for (const unsigned d : order) exchanged.push_back(extents[d]);
  const Shape shape = shape_of(exchanged);
  const std::uint64_t bytes = messages.size() == 1 ? 96'000 : 1200;
  std::vector<TrafficEntry> entries;
  for (const auto& [from, to] : messages)
    entries.push_back({shape.rank(moved(from)), shape.rank(moved(to)), bytes});
  const MatrixTraffic traffic("random", shape.size(), std::move(entries));
  // Escapes follow the dimensions in order, as published, so here none takes place.
  Machine machine;
  machine.escape_wait_cycles = 1'000'000;
  std::array<double, 9> times{};
  for (std::uint64_t seed = 1; seed <= times.size(); ++seed)
    times[seed - 1] =
        static_cast<double>(time_of(shape, machine, traffic, {.routing = routing}, seed));
  std::ranges::sort(times);
  return {times.front(), times[4], times.back()};
}

TEST(FairChoices, ExchangedAxesTakeTheSameTime) {
  Random random(8);
  for (unsigned left = testing::by_set(16u, 50u); left > 0;) {
    Extents extents = random_extents(random, 2 + random.below(2), 8);
    std::vector<unsigned> order(extents.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::vector<unsigned> same = order;
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i + 1))]);
    const unsigned most = testing::is_thorough() ? 256 : 64;
    if (order == same || nodes_of(extents) > most || nodes_of(extents) < 2) continue;
    --left;
    const auto messages = random_messages(shape_of(extents), random);
    for (const RoutingRule routing : {RoutingRule::adaptive, RoutingRule::random_order}) {
      const Spread a = times_of(extents, same, messages, routing);
      const Spread b = times_of(extents, order, messages, routing);
      EXPECT_LE(std::abs(a.median - b.median),
                std::max({0.02 * a.median, a.most - a.least, b.most - b.least}))
          << shape_of(extents).text() << ' ' << fmt::format("{}", fmt::join(order, "")) << ' '
          << messages.size();
    }
  }
}

}  // namespace
}  // namespace toroid
