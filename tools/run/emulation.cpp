#include "tools/run/emulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/placement/placement.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

SimOptions sim_options(const Shape& shape, const RunOptions& run, Progress& progress,
                       CpuAccount& cpu) {
  SimOptions options = run.sim;
  options.tying = run.node.settings.tying;
  options.progress = [&progress](const SimProgress& p) { progress.show(p); };
  options.threads = sim_threads(shape, run);
  options.cpu = &cpu;
  if (options.checkpoints != nullptr) progress.leave_interruptions();
  return options;
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// The profile summed over the nodes of all processes; valid on the process that reports.
FlowchartProfile total_profile(FlowchartProfile mine, const Processes& processes) {
  const auto bytes = std::as_bytes(std::span(&mine, 1));
  FlowchartProfile total;
  for (const Blob& blob : processes.gather(Blob(bytes.begin(), bytes.end()))) {
    if (blob.empty()) continue;  // the process is lost
    TOROID_CHECK_EQ(blob.size(), sizeof mine);
    std::memcpy(&mine, blob.data(), sizeof mine);
    total += mine;
  }
  return total;
}

}  // namespace

Emulation::Emulation(const Shape& shape, const Machine& machine, const RunOptions& options,
                     bool quiet, std::uint64_t packets_expected)
    : progress_(quiet || !options.processes.reports(),
                packets_expected / options.processes.count()),
      processes_(options.processes),
      transfer_(options.node.transfer),
      route_(options.ring.route),
      preparation_(preparation_limit(options, options.node.policy)),
      fabric_(make_fabric(shape, machine, options, quiet)),
      runner_(*fabric_, options.node) {
  throw_if_interrupted();
}

std::unique_ptr<Fabric> Emulation::make_fabric(const Shape& shape, const Machine& machine,
                                               const RunOptions& options, bool is_quiet) {
  is_virtual_ = options.fabric == FabricName::sim;
  if (is_virtual_) {
    const SimOptions sim = sim_options(shape, options, progress_, cpu_);
    workers_ = sim_threads(shape, sim);
    return make_sim_fabric(shape, machine, sim);
  }
  RingOptions ring = options.ring;
  ring.tying = options.node.settings.tying;
  ring.cpu = &cpu_;
  ring.notice = [this, is_quiet](const std::string& line) {
    progress_.clear();
    if (!is_quiet) std::fputs(("toroid: " + line + "\n").c_str(), stderr);
  };
  ring.watch = [this](std::uint64_t delivered) { progress_.show(delivered); };
  Placement placement = placement_of(shape, options);
  workers_ = static_cast<unsigned>(placement.workers.size());
  if (options.fabric == FabricName::ofi)
    return carried_fabric(make_ofi_fabric(processes_, shape, machine, std::move(placement),
                                          std::move(ring), options.frames));
  check_memory(shape, ring_bytes(shape, machine, workers_, ring.route));
  return make_ring_fabric(shape, machine, std::move(placement), std::move(ring));
}

std::unique_ptr<Fabric> Emulation::carried_fabric(OfiEmulation emulation) {
  provider_ = std::move(emulation.provider);
  frames_ = emulation.frames;
  bytes_per_peer_ = emulation.bytes_per_peer;
  return std::move(emulation.fabric);
}

void Emulation::run() {
  preparation_.reset();
  const auto wall = std::chrono::steady_clock::now();
  runner_.run();
  progress_.clear();
  cpu_seconds_ = sum(processes_.numbers(cpu_.seconds()));
  workers_ = static_cast<unsigned>(sum(processes_.numbers(workers_)));
  profile_ = total_profile(runner_.profile(), processes_);
  wall_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  if (const auto refused = fabric_->counters().refused; refused > 0)
    throw RunFailed(fmt::format("{} packets had malformed headers and were refused", refused));
}

Tick Emulation::latest(Tick mine) const {
  const std::vector<double> all = processes_.numbers(static_cast<double>(mine));
  return static_cast<Tick>(*std::ranges::max_element(all));
}

}  // namespace toroid
