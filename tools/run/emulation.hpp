// A machine with a node at every rank, on the fabric that the user chose. All commands run on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hal/counters.hpp"
#include "hal/fabric.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/immovable_array.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/runner.hpp"
#include "packet/node/settings.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/termination/time_limit.hpp"
#include "router/threads/cpu_account.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/progress.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

class Emulation {
 public:
  /// `packets_expected` is the number of packets of all processes together, for the progress line.
  Emulation(const Shape& shape, const Machine& machine, const RunOptions& options, bool quiet,
            std::uint64_t packets_expected);

  /// The nodes of this process, by rank.
  ImmovableArray<Node>& nodes() { return runner_.nodes(); }
  const ImmovableArray<Node>& nodes() const { return runner_.nodes(); }
  /// Runs every node's program to its end and measures the CPU time that its threads take.
  void run();
  /// Adds the time of earlier parts of the run, from a checkpoint.
  void add_spent(double cpu_seconds, double wall_seconds) {
    cpu_seconds_ += cpu_seconds;
    wall_seconds_ += wall_seconds;
  }

  const FabricCounters& counters() const { return fabric_->counters(); }
  /// The profile of filling and draining, summed over the nodes of all processes; valid after run()
  /// on the process that reports.
  const FlowchartProfile& profile() const { return profile_; }
  /// When the last program of this process ended, in cycles.
  Tick programs_end() const { return runner_.finished_at(); }
  /// The maximum of `mine` over all processes. All processes call it in the same order.
  Tick latest(Tick mine) const;
  const Processes& processes() const { return processes_; }
  TransferMode transfer() const { return transfer_; }
  /// The provider that carries the frames on `ofi`; empty on other fabrics.
  const std::string& provider() const { return provider_; }
  FrameWay frames() const { return frames_; }
  /// On `ofi`: size in bytes of the frame buffers that a process keeps for each other process.
  std::size_t bytes_per_peer() const { return bytes_per_peer_; }
  /// CPU seconds of the threads that ran the nodes, in all processes.
  double cpu_seconds() const { return cpu_seconds_; }
  double wall_seconds() const { return wall_seconds_; }
  /// The number of worker threads in all processes.
  unsigned workers() const { return workers_; }
  /// The number of processors that run in parallel in all processes together: in virtual time the
  /// processors of the nodes, otherwise the worker threads.
  unsigned processors() const {
    return is_virtual_ ? static_cast<unsigned>(nodes().size()) : workers_;
  }
  /// The packets' route; meaningful on wall-clock fabrics.
  RingRoute route() const { return route_; }

 private:
  std::unique_ptr<Fabric> make_fabric(const Shape& shape, const Machine& machine,
                                      const RunOptions& options, bool is_quiet);
  std::unique_ptr<Fabric> carried_fabric(OfiEmulation emulation);

  Progress progress_;
  Processes processes_;
  TransferMode transfer_;
  RingRoute route_;
  std::string provider_;
  FrameWay frames_ = FrameWay::messages;
  std::size_t bytes_per_peer_ = 0;
  unsigned workers_ = 1;
  bool is_virtual_ = false;
  CpuAccount cpu_;
  std::unique_ptr<termination::TimeLimit> preparation_;  ///< until run()
  std::unique_ptr<Fabric> fabric_;
  Runner runner_;
  FlowchartProfile profile_;
  double cpu_seconds_ = 0;
  double wall_seconds_ = 0;
};

}  // namespace toroid
