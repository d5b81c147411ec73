// --record and --trace: what a run of the model leaves besides its result.
#pragma once

#include <optional>

#include "tools/options.hpp"
#include "tools/report.hpp"
#include "tools/report/recorder.hpp"
#include "tools/trace/tracer.hpp"
#include "tools/watch_options.hpp"

namespace toroid {

/// Opens its files before the run, so that a bad path costs nothing, and outlives the fabric.
class Watch final : private SimProbe {
 public:
  /// Throws BadInput where the fabric is not `sim` or the machine is too large.
  Watch(const WatchOptions& options, const Shape& shape, const Machine& machine, FabricName fabric);

  /// The options of a run that is watched, if that was asked for.
  RunOptions watched(RunOptions options);
  /// Does run(), and writes the trace also of a run that fails: of what it did until then.
  template <typename Run>
  auto guard(const Run& run) {
    try {
      return run();
    } catch (const RunFailed&) {
      if (tracer_) write_trace_file(recorder_->finish({}), false);
      throw;
    }
  }
  /// After the run. `report`: its result.
  void write(const Json& report, const FabricCounters& counters);

 private:
  void on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) override;
  void on_hop(Tick now, Rank node, Direction, VirtualChannel, const ProbedPacket&) override;
  void on_deliver(Tick now, Rank node, const ProbedPacket& packet) override;
  Tick sample_every() const override { return Recorder::kShortest; }
  void on_sample(Tick now, const SimSnapshot& machine) override;
  void write_trace_file(const Recording& recording, bool complete);

  WatchOptions options_;
  Shape shape_;
  Machine machine_;
  std::optional<Recorder> recorder_;
  std::optional<Tracer> tracer_;
  std::unique_ptr<OutputFile> record_;
  std::unique_ptr<OutputFile> trace_;
};

}  // namespace toroid
