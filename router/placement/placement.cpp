#include "router/placement/placement.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

#include "hal/check.hpp"
#include "router/placement/bisection.hpp"

namespace toroid {
namespace {

struct WorkerCount {
  unsigned workers;
  std::string reason;
};

WorkerCount choose_count(unsigned cores, double quota) {
  if (quota <= cores - 1.0)
    return {static_cast<unsigned>(std::max(1.0, std::ceil(quota))),
            fmt::format("cgroup quota {:g} CPU{}", quota, quota == 1 ? "" : "s")};
  return {cores, fmt::format("{} allowed core{}", cores, cores == 1 ? "" : "s")};
}

WorkerCount count_workers(unsigned cores, std::size_t nodes, unsigned threads, double quota) {
  auto count = threads > 0 ? WorkerCount{threads, fmt::format("--threads {}", threads)}
                           : choose_count(cores, quota);
  if (count.workers > nodes) count = {static_cast<unsigned>(nodes), "one per node"};
  return count;
}

/// Workers come in the order of their cores, so that workers of one core get neighbouring nodes.
std::vector<WorkerPlace> take_cores(const std::vector<Core>& cores, unsigned workers,
                                    Binding binding) {
  std::vector<WorkerPlace> places;
  const auto n = static_cast<unsigned>(cores.size());
  for (unsigned c = 0; c < n; ++c)
    for (unsigned worker = c; worker < workers; worker += n) {
      const Core& core = cores[c];
      const bool bound = binding == Binding::core;
      places.push_back(
          {c, core.package, core.numa, bound ? core.pus : std::vector<unsigned>{}, {}});
    }
  return places;
}

/// The same placement for the ranks of its nodes: a worker that has a node has all of its ranks.
Placement of_ranks(Placement placement, const NodeRanks& ranks) {
  for (WorkerPlace& worker : placement.workers) {
    std::vector<Rank> all;
    for (const Rank node : worker.nodes)
      for (unsigned p = 0; p < ranks.per_node(); ++p) all.push_back(ranks.rank(node, p));
    worker.nodes = std::move(all);
  }
  return placement;
}

}  // namespace

Placement place(const HostTopology& topology, const Shape& shape, unsigned threads, Binding binding,
                double quota) {
  std::vector<Rank> all(shape.size());
  std::iota(all.begin(), all.end(), Rank{0});
  return place(topology, shape, std::move(all), threads, binding, quota);
}

Placement place(const HostTopology& topology, const Shape& shape, std::vector<Rank> nodes,
                unsigned threads, Binding binding, double quota) {
  TOROID_CHECK(quota > 0);
  if (shape.ranks().are_shared()) {
    for (Rank& rank : nodes) rank = shape.ranks().node(rank);
    const auto rest = std::ranges::unique(nodes);
    nodes.erase(rest.begin(), rest.end());
    return of_ranks(place(topology, shape.torus(), std::move(nodes), threads, binding, quota),
                    shape.ranks());
  }
  const auto& cores = topology.cores();
  const auto count =
      count_workers(static_cast<unsigned>(cores.size()), nodes.size(), threads, quota);
  Placement placement{take_cores(cores, count.workers, binding), count.workers > cores.size(),
                      count.reason};
  share_out_nodes(shape, std::move(nodes), placement.workers);
  return placement;
}

Placement checked(Placement placement, const Shape& shape, const std::vector<Rank>& nodes) {
  std::vector<Rank> placed;
  for (const WorkerPlace& worker : placement.workers)
    placed.insert(placed.end(), worker.nodes.begin(), worker.nodes.end());
  std::ranges::sort(placed);
  const auto [is, should] = std::ranges::mismatch(placed, nodes);
  const auto text = [&](Rank node) {
    return node < shape.size() ? shape.coord_text(node) : std::to_string(node);
  };
  if (is != placed.end() && (should == nodes.end() || *is < *should))
    throw BadInput(fmt::format(
        "the placement has node {} twice, or it is not a node of this process", text(*is)));
  if (should != nodes.end())
    throw BadInput(fmt::format("the placement does not have node {}", text(*should)));
  return placement;
}

bool bind_this_thread(const WorkerPlace& place) {
  if (place.pus.empty()) return true;
  const std::size_t cpus = *std::max_element(place.pus.begin(), place.pus.end()) + std::size_t{1};
  const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
  const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(cpus), release);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
  CPU_ZERO_S(bytes, set.get());
  for (const unsigned pu : place.pus) CPU_SET_S(pu, bytes, set.get());
  return ::sched_setaffinity(0, bytes, set.get()) == 0;
}

}  // namespace toroid
