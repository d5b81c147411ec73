#include "packet/traffic/skewed_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "packet/traffic/random_below.hpp"

namespace toroid {
namespace {

std::uint64_t rounded(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace

SkewedTraffic::SkewedTraffic(std::string name, std::vector<std::uint64_t> to)
    : name_(std::move(name)), below_(to.size() + 1) {
  std::partial_sum(to.begin(), to.end(), below_.begin() + 1);
}

std::vector<std::uint64_t> SkewedTraffic::hotspot(Rank nodes, Rank hot, double share,
                                                  std::uint64_t bytes) {
  const auto each = static_cast<double>(bytes);
  std::vector<std::uint64_t> to(nodes, rounded((1 - share) * each));
  to[hot] = rounded((1 - share) * each + share * each * (nodes - 1));
  return to;
}

std::vector<std::uint64_t> SkewedTraffic::incast(Rank nodes, Rank sink, std::uint64_t bytes) {
  std::vector<std::uint64_t> to(nodes);
  to[sink] = bytes;
  return to;
}

std::vector<std::uint64_t> SkewedTraffic::zipf(Rank nodes, double exponent, std::uint64_t bytes,
                                               std::uint64_t seed) {
  std::vector<Rank> popular(nodes);
  std::iota(popular.begin(), popular.end(), Rank{0});
  Random random(seed);
  for (Rank i = nodes; i-- > 1;) std::swap(popular[i], popular[random.below(i + 1)]);
  double sum = 0;
  for (Rank i = nodes; i > 0; --i) sum += std::pow(i, -exponent);  // the small terms first
  const double scale = static_cast<double>(bytes) * nodes / sum;
  std::vector<std::uint64_t> to(nodes);
  for (Rank i = 0; i < nodes; ++i) to[popular[i]] = rounded(scale * std::pow(i + 1, -exponent));
  return to;
}

std::vector<Rank> SkewedTraffic::targets(Rank from) const {
  std::vector<Rank> targets;
  for (Rank r = 0; r < nodes(); ++r)
    if (bytes(from, r) > 0) targets.push_back(r);
  return targets;
}

std::vector<Rank> SkewedTraffic::sources(Rank to) const {
  std::vector<Rank> sources;
  if (column(to) == 0) return sources;
  for (Rank r = 0; r < nodes(); ++r)
    if (r != to) sources.push_back(r);
  return sources;
}

Rank SkewedTraffic::draw(Rank from, Random& random) const {
  std::uint64_t byte = below(below_.back() - column(from), random);
  if (byte >= below_[from]) byte += column(from);
  const auto after = std::ranges::upper_bound(below_, byte);
  return static_cast<Rank>(after - below_.begin() - 1);
}

}  // namespace toroid
