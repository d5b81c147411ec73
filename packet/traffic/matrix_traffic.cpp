#include "packet/traffic/matrix_traffic.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "hal/check.hpp"
#include "packet/traffic/random_below.hpp"

namespace toroid {
namespace {

/// The entries sorted by source and destination. Entries of the same pair are added up; entries
/// with 0 bytes, or from a node to itself, are left out.
std::vector<TrafficEntry> merged(std::vector<TrafficEntry> entries) {
  std::erase_if(entries, [](const TrafficEntry& e) { return e.from == e.to || e.bytes == 0; });
  std::ranges::sort(entries, {}, [](const TrafficEntry& e) { return std::tuple(e.from, e.to); });
  std::size_t kept = 0;
  for (const TrafficEntry& e : entries) {
    if (kept > 0 && entries[kept - 1].from == e.from && entries[kept - 1].to == e.to)
      entries[kept - 1].bytes += e.bytes;
    else
      entries[kept++] = e;
  }
  entries.resize(kept);
  return entries;
}

/// Where each node's part begins in entries that are sorted by node.
template <typename NodeOf>
std::vector<std::size_t> begins(Rank nodes, const std::vector<TrafficEntry>& entries,
                                const NodeOf& node_of) {
  std::vector<std::size_t> begins(nodes + std::size_t{1});
  for (const TrafficEntry& e : entries) ++begins[node_of(e) + std::size_t{1}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

MatrixTraffic::MatrixTraffic(std::string name, Rank nodes, std::vector<TrafficEntry> entries)
    : name_(std::move(name)), entries_(merged(std::move(entries))) {
  for (const TrafficEntry& e : entries_) TOROID_CHECK_LT(std::max(e.from, e.to), nodes);
  row_ = begins(nodes, entries_, [](const TrafficEntry& e) { return e.from; });
  column_ = begins(nodes, entries_, [](const TrafficEntry& e) { return e.to; });
  sources_.resize(entries_.size());
  std::vector<std::size_t> next = column_;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    sources_[next[entries_[e].to]++] = entries_[e].from;
    const bool first = e == row_[entries_[e].from];
    through_.push_back(entries_[e].bytes + (first ? 0 : through_[e - 1]));
  }
}

std::vector<TrafficEntry> MatrixTraffic::random_messages(Rank nodes, Rank messages,
                                                         std::uint64_t bytes, std::uint64_t seed) {
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; nodes > 1 && from < nodes; ++from) {
    Random random(seed, from);
    for (Rank m = 0; m < messages; ++m)
      entries.push_back({from, (from + 1 + random.below(nodes - 1)) % nodes, bytes});
  }
  return entries;
}

std::uint64_t MatrixTraffic::bytes(Rank from, Rank to) const {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(row_[from + std::size_t{1}]);
  const auto at = std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(row_[from]), end,
                                   to, [](const TrafficEntry& e, Rank r) { return e.to < r; });
  return at != end && at->to == to ? at->bytes : 0;
}

std::vector<Rank> MatrixTraffic::targets(Rank from) const {
  std::vector<Rank> targets;
  for (std::size_t e = row_[from]; e < row_[from + std::size_t{1}]; ++e)
    targets.push_back(entries_[e].to);
  return targets;
}

std::vector<Rank> MatrixTraffic::sources(Rank to) const {
  const auto begin = sources_.begin();
  return {begin + static_cast<std::ptrdiff_t>(column_[to]),
          begin + static_cast<std::ptrdiff_t>(column_[to + std::size_t{1}])};
}

Rank MatrixTraffic::draw(Rank from, Random& random) const {
  const auto begin = through_.begin() + static_cast<std::ptrdiff_t>(row_[from]);
  const auto end = through_.begin() + static_cast<std::ptrdiff_t>(row_[from + std::size_t{1}]);
  TOROID_CHECK(begin != end);
  const auto at = std::upper_bound(begin, end, below(*(end - 1), random));
  return entries_[static_cast<std::size_t>(at - through_.begin())].to;
}

}  // namespace toroid
