#include "packet/traffic/congestion_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/route.hpp"

namespace toroid {
namespace {

constexpr unsigned kMostRounds = 100;
constexpr Rank kNoNode = ~Rank{0};
constexpr unsigned kUnseen = ~0u;
/// Paths count as equally short if their lengths differ by less than this share.
constexpr double kTolerance = 1e-3;
/// A link with a share s of the load of the hottest link has the length exp(sharpness · (s - 1)).
/// The sharpness begins at kSharpness and grows by kSharpening per round.
constexpr double kSharpness = 4;
constexpr double kSharpening = 0.3;

/// The demands of one source.
struct Source {
  std::span<const Demand> demands;
  unsigned farthest = 0;  ///< hops

  Rank rank() const { return demands.front().from; }
};

std::vector<Source> by_source(const Shape& shape, std::span<const Demand> demands) {
  std::vector<Source> sources;
  for (std::size_t begin = 0, end = 0; begin < demands.size(); begin = end) {
    Source source;
    for (; end < demands.size() && demands[end].from == demands[begin].from; ++end)
      source.farthest = std::max(
          source.farthest,
          minimal_hops(shape, shape.coord(demands[end].from), shape.coord(demands[end].to)));
    source.demands = demands.subspan(begin, end - begin);
    sources.push_back(source);
  }
  return sources;
}

/// The lengths of all links, and the loads that lengthen them. A link's index is that of its node,
/// times the links of a node, plus that of its direction.
class LinkLengths {
 public:
  explicit LinkLengths(const Shape& shape)
      : links_(shape.links()),
        ends_(std::size_t{shape.size()} * links_, kNoNode),
        lengths_(ends_.size()),
        now_(ends_.size()),
        mean_(ends_.size()),
        hops_(shape.size(), kUnseen),
        costs_(shape.size()),
        flows_(shape.size()) {
    for (Rank r = 0; r < shape.size(); ++r)
      for (std::uint8_t l = 0; l < links_; ++l)
        if (const auto end = shape.neighbour(r, {l})) {
          ends_[r * links_ + l] = *end;
          lengths_[r * links_ + l] = 1;
        }
  }

  /// The bound by the current lengths. Then changes the lengths for the next round.
  double round(std::span<const Source> sources) {
    double sum = 0;
    std::ranges::fill(now_, 0);
    for (const Source& source : sources) sum += send(source);
    double all = 0;
    for (const double length : lengths_) all += length;
    lengthen();
    return all > 0 ? sum / all : 0;
  }
  std::uint64_t steps() const { return steps_; }
  /// The hottest link's load if demands are split as they were on average over the rounds. No bound
  /// is higher.
  double most() const { return most_; }

 private:
  /// Loads the shortest paths from the source. Returns the sum of bytes times path lengths.
  double send(const Source& source) {
    search(source);
    double sum = 0;
    for (const Demand& demand : source.demands) {
      sum += demand.bytes * costs_[demand.to];
      flows_[demand.to] += demand.bytes;
    }
    for (std::size_t i = order_.size(); i-- > 1;) pull(order_[i]);
    for (const Rank node : order_) hops_[node] = kUnseen;
    return sum;
  }

  /// Breadth-first search: finds, for all nodes that are near enough, the length of the shortest of
  /// the paths that have the fewest hops.
  void search(const Source& source) {
    order_ = {source.rank()};
    hops_[source.rank()] = 0;
    costs_[source.rank()] = 0;
    for (std::size_t i = 0; i < order_.size() && hops_[order_[i]] < source.farthest; ++i)
      for (unsigned l = 0; l < links_; ++l) look(order_[i], l);
    flows_[source.rank()] = 0;
    steps_ += order_.size() * links_;
  }

  void look(Rank node, unsigned l) {
    const std::size_t link = node * links_ + l;
    const Rank end = ends_[link];
    if (end == kNoNode) return;
    if (hops_[end] == kUnseen) {
      hops_[end] = hops_[node] + 1;
      costs_[end] = std::numeric_limits<double>::infinity();
      flows_[end] = 0;
      order_.push_back(end);
    }
    if (hops_[end] == hops_[node] + 1)
      costs_[end] = std::min(costs_[end], costs_[node] + lengths_[link]);
  }

  /// Divides what arrives at the node among the last links of its shortest paths.
  void pull(Rank node) {
    if (flows_[node] == 0) return;
    std::size_t last[kMaxLinks];
    unsigned count = 0;
    for (unsigned l = 0; l < links_; ++l) {
      const Rank before = ends_[node * links_ + l];
      if (before == kNoNode || hops_[before] + 1 != hops_[node]) continue;
      const std::size_t link = before * links_ + (l ^ 1u);
      if (costs_[before] + lengths_[link] <= costs_[node] * (1 + kTolerance)) last[count++] = link;
    }
    for (unsigned i = 0; i < count; ++i) {
      now_[last[i]] += flows_[node] / count;
      flows_[last[i] / links_] += flows_[node] / count;
    }
  }

  /// Makes a link the longer, the more load it has on average over the rounds.
  void lengthen() {
    const double share = 2.0 / (2 + rounds_);
    most_ = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      mean_[i] += share * (now_[i] - mean_[i]);
      most_ = std::max(most_, mean_[i]);
    }
    ++rounds_;
    if (most_ == 0) return;
    const double sharpness = kSharpness + kSharpening * rounds_;
    for (std::size_t i = 0; i < mean_.size(); ++i)
      if (ends_[i] != kNoNode) lengths_[i] = std::exp(sharpness * (mean_[i] / most_ - 1));
  }

  unsigned links_;
  std::vector<Rank> ends_;
  std::vector<double> lengths_;
  std::vector<double> now_;   ///< loads in this round
  std::vector<double> mean_;  ///< weighted mean of the loads of all rounds
  double most_ = std::numeric_limits<double>::infinity();
  unsigned rounds_ = 0;
  std::uint64_t steps_ = 0;
  // Of the current source:
  std::vector<Rank> order_;     ///< nodes by their hops
  std::vector<unsigned> hops_;  ///< kUnseen if not reached
  std::vector<double> costs_;   ///< length of the shortest path
  std::vector<double> flows_;   ///< bytes to and through the node
};

}  // namespace

double congestion_bound(const Shape& shape, std::span<const Demand> demands, std::uint64_t steps,
                        double known) {
  TOROID_CHECK(shape.failures() == nullptr);
  const std::vector<Source> sources = by_source(shape, demands);
  if (sources.empty() || sources.size() * shape.size() > steps) return 0;
  constexpr double kRounding = 1 - 1e-9;  // sums of doubles may be too large by less than this
  LinkLengths lengths(shape);
  double best = 0;
  for (unsigned round = 0; round < kMostRounds && lengths.steps() < steps; ++round) {
    best = std::max(best, lengths.round(sources));
    if (lengths.most() * kRounding <= std::max(best, known)) break;
  }
  return best * kRounding;
}

}  // namespace toroid
