// Records a run in virtual time for a report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"
#include "tools/report/recording.hpp"

namespace toroid {

/// Samples links and FIFOs over time. Memory is bounded: when there are twice as many samples as a
/// report holds, every second one is dropped and the sampling interval doubles. Only the thread
/// that runs the model calls it; `Observation` owns it.
class Recorder final : public SimProbe {
 public:
  /// Throws BadInput if the machine is too large to be recorded.
  Recorder(const Shape& shape, const Machine& machine);

  bool follows_packets() const override { return false; }
  Tick sample_every() const override { return kShortest; }
  void on_sample(Tick now, const SimSnapshot& machine) override;
  /// Returns the recording after the run. `counters`: those of the run. If they have no links,
  /// because the run failed, the recording has the samples up to the failure and no loads of the
  /// whole run.
  Recording finish(const FabricCounters& counters);

  static constexpr Tick kShortest = 256;  ///< cycles; a full packet takes longer on a link

 private:
  /// What nodes hold: the sum over all nodes, and the most of one.
  struct Level {
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    void add(std::uint64_t of_node) {
      sum += of_node;
      most = std::max(most, of_node);
    }
  };
  /// State of the machine at the end of an interval.
  struct Sample {
    Tick end = 0;
    std::vector<std::uint32_t> wire_bytes;  ///< per link since the run began, modulo 2^32
    std::vector<unsigned> fill;             ///< per node, chunks in all its injection FIFOs
    std::vector<std::uint64_t> sum;         ///< per FIFO, chunks summed over all nodes
    std::vector<unsigned> most;             ///< per FIFO, chunks on the node where it is fullest
    Level reception{};                      ///< chunks in reception FIFOs
    Level queues{};                         ///< packets in output queues
  };

  Sample sample_of(Tick end, std::span<const LinkCounters> links) const;
  void add_fifos(Sample& sample, const SimSnapshot& machine);
  void thin();
  void write_links(Recording& recording) const;
  void write_fifos(Recording& recording) const;
  Recording::Level level(Level Sample::*of, std::uint64_t full) const;
  std::size_t links() const { return std::size_t{shape_.size()} * shape_.links(); }
  /// Number of injection FIFOs per node, with those of high priority.
  unsigned all_fifos() const {
    return machine_.injection_fifos + machine_.priority_injection_fifos;
  }
  /// Those that the recording has: those of high priority only if something was in them.
  unsigned fifos() const { return uses_priority_ ? all_fifos() : machine_.injection_fifos; }

  Shape shape_;
  Machine machine_;
  std::size_t most_samples_;
  Tick interval_ = kShortest;
  bool uses_priority_ = false;
  std::vector<Sample> samples_;
};

}  // namespace toroid
