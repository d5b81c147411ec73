// Implements --record, --trace, --report and --csv: the files of a run besides its result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/report/recorder.hpp"
#include "tools/report/recording.hpp"
#include "tools/report/tracer.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

struct ObservationOptions {
  std::string record;                      ///< path; empty if not wanted
  std::string trace;                       ///< path; empty if not wanted
  std::string report;                      ///< path; empty if not wanted
  std::string csv;                         ///< path; empty if not wanted
  std::uint64_t trace_bytes = 64'000'000;  ///< maximum size of the trace
};

void add_observation_options(CLI::App& command, ObservationOptions& options);

/// Observes a run and writes its recording, trace, report and CSV. Opens its files before the run,
/// so that a bad path fails at once. Must outlive the fabric. The thread that runs the model calls
/// the probes.
class Observation final : private SimProbe {
 public:
  /// `notice` says where to announce the report. Throws BadInput if the machine is too large to be
  /// recorded or traced. Writes nothing on a process that does not report. REQUIRES: a recorded or
  /// traced run is on `sim`.
  Observation(const ObservationOptions& options, ReportNotice notice, const Shape& shape,
              const Machine& machine, const RunOptions& run);

  /// The options of the run, with this object as its probe if necessary.
  RunOptions observed(RunOptions options);
  /// Calls run() and returns its result. If the run fails, writes its trace up to the failure.
  template <typename Run>
  auto guard(const Run& run) {
    try {
      return run();
    } catch (const RunFailed&) {
      if (tracer_) write_trace_file(recorder_->finish({}), false);
      throw;
    }
  }
  /// Whether there will be a recording or a report.
  bool is_wanted() const { return record_ != nullptr || report_.is_wanted(); }
  /// Writes all files after the run, on the process that reports. The counters are sums over `runs`
  /// equal runs. `more` has the keys that a report has in addition to the result, such as slices.
  void write(const Json& report, const FabricCounters& counters, unsigned runs = 1,
             const Json& more = Json::object());

 private:
  void on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) override;
  void on_hop(Tick now, Rank node, Direction, VirtualChannel, const ProbedPacket&) override;
  void on_deliver(Tick now, Rank node, const ProbedPacket& packet) override;
  bool follows_packets() const override { return tracer_.has_value(); }
  Tick sample_every() const override { return Recorder::kShortest; }
  void on_sample(Tick now, const SimSnapshot& machine) override;
  void write_trace_file(const Recording& recording, bool complete);
  void write_results(Json result);
  /// Whether the machine is small enough for a page that shows every link.
  bool fits_a_page() const;

  ObservationOptions options_;
  Shape shape_;
  Machine machine_;
  std::optional<Recorder> recorder_;
  std::optional<Tracer> tracer_;
  std::unique_ptr<OutputFile> record_;
  std::unique_ptr<OutputFile> trace_;
  std::unique_ptr<OutputFile> csv_;
  ReportOutput report_;
};

}  // namespace toroid
