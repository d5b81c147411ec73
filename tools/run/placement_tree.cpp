#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/bisection.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tools/run/placement_text.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// "(0,0,0) to (1,3,3)", preceded by "within" if the box contains other workers' nodes too.
std::string box_text(const Shape& shape, const std::vector<Rank>& nodes) {
  const BoundingBox box = bounding_box(shape, nodes);
  std::size_t volume = 1;
  for (unsigned d = 0; d < shape.dims(); ++d) volume *= box.length(d);
  const std::string low = shape.coord_text(shape.rank(box.low));
  if (volume == 1) return low;
  return fmt::format("{}{} to {}", volume == nodes.size() ? "" : "within ", low,
                     shape.coord_text(shape.rank(box.high)));
}

class Tree {
 public:
  Tree(const HostTopology& topology, const Shape& shape, const Placement& placement)
      : cores_(topology.cores()), shape_(shape), placement_(placement) {}

  std::vector<std::string> lines() {
    for (std::size_t c = 0; c < cores_.size();) {
      if (c == 0 || !together(c - 1, c)) add_heading(cores_[c]);
      c = busy(c) ? add_busy(c) : add_idle(c);
    }
    return std::move(lines_);
  }

 private:
  bool together(std::size_t a, std::size_t b) const {
    return cores_[a].package == cores_[b].package && cores_[a].numa == cores_[b].numa;
  }
  bool busy(std::size_t c) const {
    return worker_ < placement_.workers.size() && placement_.workers[worker_].core == c;
  }

  void add_heading(const Core& core) {
    lines_.push_back(fmt::format("package {}, NUMA node {}", core.package, core.numa));
  }

  /// Adds a line for each worker of core c; returns the next core.
  std::size_t add_busy(std::size_t c) {
    std::string core = core_text(c);
    for (; busy(c); ++worker_) {
      lines_.push_back(fmt::format("  {}  {}", core, worker_text()));
      core.assign(core.size(), ' ');
    }
    return c + 1;
  }

  /// Adds a line for all consecutive idle cores from core c; returns the next core.
  std::size_t add_idle(std::size_t c) {
    std::size_t end = c + 1;
    while (end < cores_.size() && together(c, end) && !busy(end)) ++end;
    lines_.push_back(end == c + 1 ? fmt::format("  {}  idle", core_text(c))
                                  : fmt::format("  cores {} to {}  idle", cores_[c].index,
                                                cores_[end - 1].index));
    return end;
  }

  std::string worker_text() const {
    const auto& workers = placement_.workers;
    const auto& nodes = workers[worker_].nodes;
    return fmt::format("worker {:>{}}: {} {}", worker_,
                       fmt::formatted_size("{}", workers.size() - 1), counted(nodes.size(), "node"),
                       box_text(shape_, nodes));
  }

  std::string core_text(std::size_t c) const {
    const auto& pus = cores_[c].pus;
    return fmt::format("core {:<{}} PU {:<{}}", cores_[c].index, index_width_,
                       fmt::format("{}", fmt::join(pus, ",")), pus_width_);
  }

  std::size_t widest(auto&& width) const {
    std::size_t most = 0;
    for (const Core& core : cores_) most = std::max(most, width(core));
    return most;
  }

  const std::vector<Core>& cores_;
  const Shape& shape_;
  const Placement& placement_;
  std::size_t index_width_ = widest([](const Core& c) { return std::to_string(c.index).size(); });
  std::size_t pus_width_ =
      widest([](const Core& c) { return fmt::formatted_size("{}", fmt::join(c.pus, ",")); });
  std::size_t worker_ = 0;  ///< the first worker that has no line yet
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> placement_tree(const HostTopology& topology, const Shape& shape,
                                        const Placement& placement) {
  return Tree(topology, shape, placement).lines();
}

}  // namespace toroid
