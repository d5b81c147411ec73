#include "tools/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace toroid {
namespace {

SimOptions with_progress(SimOptions options, Progress& progress) {
  options.progress = [&progress](const SimProgress& p) { progress.show(p); };
  return options;
}

double cpu_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

Simulation::Simulation(const Shape& shape, const Machine& machine, const SimOptions& sim,
                       const NodeOptions& node, bool quiet, std::uint64_t packets_expected)
    : progress_(quiet, packets_expected), fabric_(shape, machine, with_progress(sim, progress_)) {
  for (Rank r = 0; r < shape.size(); ++r)
    fabric_.attach(r, nodes_.emplace_back(fabric_.device(r), node));
}

void Simulation::run() {
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = cpu_now();
  fabric_.run();
  cpu_seconds_ = cpu_now() - cpu;
  wall_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  if (const auto refused = fabric_.counters().refused; refused > 0)
    throw RunFailed(fmt::format("{} packets had malformed headers and were refused", refused));
}

Tick Simulation::programs_end() const {
  Tick end = 0;
  for (const Node& node : nodes_) end = std::max(end, node.finished_at());
  return end;
}

}  // namespace toroid
