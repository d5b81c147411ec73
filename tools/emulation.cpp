#include "tools/emulation.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>

#include "hal/check.hpp"
#include "router/cpu_quota.hpp"
#include "router/ofi_fabric.hpp"

namespace toroid {
namespace {

constexpr double kBytesPerNode = 2000;  ///< a little less than a node takes that does nothing

SimOptions sim_options(const Shape& shape, const RunOptions& run, Progress& progress) {
  SimOptions options = run.sim;
  options.progress = [&progress](const SimProgress& p) { progress.show(p); };
  options.threads = sim_threads(shape, run);
  return options;
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

double cpu_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

void check_memory(const Shape& shape, double array_bytes) {
  const double needed = kBytesPerNode * shape.size() + array_bytes;
  const double present =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed > present)
    throw BadInput(fmt::format("needs at least {:.1f} GB of memory; this host has {:.1f} GB",
                               needed / 1e9, present / 1e9));
}

Emulation::Emulation(const Shape& shape, const Machine& machine, const RunOptions& options,
                     bool quiet, std::uint64_t packets_expected)
    : progress_(quiet, packets_expected),
      processes_(options.processes),
      fabric_(make_fabric(shape, machine, options)) {
  for (const Rank r : fabric_->nodes()) {
    throw_if_interrupted();
    fabric_->attach(r, nodes_.emplace_back(fabric_->device(r), options.node));
  }
}

std::unique_ptr<Fabric> Emulation::make_fabric(const Shape& shape, const Machine& machine,
                                               const RunOptions& options) {
  if (options.fabric == FabricName::sim) {
    auto fabric =
        std::make_unique<SimFabric>(shape, machine, sim_options(shape, options, progress_));
    workers_ = fabric->threads();
    return fabric;
  }
  RingOptions ring = options.ring;
  if (shape.failures() != nullptr && ring.route == RingRoute::direct)
    throw BadInput("--route direct crosses no link that could fail; failures need --route torus");
  ring.watch = throw_if_interrupted;
  Placement placement = placement_of(shape, options);
  workers_ = static_cast<unsigned>(placement.workers.size());
  if (options.fabric == FabricName::ofi)
    return make_ofi_fabric(shape, machine, options, std::move(placement), std::move(ring));
  check_memory(shape, RingFabric::ring_bytes(shape, machine, workers_, ring.route));
  return std::make_unique<RingFabric>(shape, machine, std::move(placement), std::move(ring));
}

std::unique_ptr<Fabric> Emulation::make_ofi_fabric(const Shape& shape, const Machine& machine,
                                                   const RunOptions& options, Placement placement,
                                                   RingOptions ring) {
  auto fabric = std::make_unique<OfiFabric>(processes_.job(), shape, machine, std::move(placement),
                                            OfiOptions{std::move(ring), options.provider});
  provider_ = fabric->provider();
  bytes_per_peer_ = fabric->bytes_per_peer();
  return fabric;
}

void Emulation::run() {
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = cpu_now();
  fabric_->run();
  progress_.clear();
  cpu_seconds_ = sum(processes_.numbers(cpu_now() - cpu));
  workers_ = static_cast<unsigned>(sum(processes_.numbers(workers_)));
  wall_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  if (const auto refused = fabric_->counters().refused; refused > 0)
    throw RunFailed(fmt::format("{} packets had malformed headers and were refused", refused));
}

Tick Emulation::latest(Tick mine) const {
  const std::vector<double> all = processes_.numbers(static_cast<double>(mine));
  return static_cast<Tick>(*std::ranges::max_element(all));
}

Tick Emulation::programs_end() const {
  Tick end = 0;
  for (const Node& node : nodes_) end = std::max(end, node.finished_at());
  return end;
}

}  // namespace toroid
