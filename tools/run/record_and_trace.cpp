#include "tools/run/record_and_trace.hpp"

#include <CLI/CLI.hpp>

#include <ostream>
#include <utility>
#include <vector>

#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/deflate_base64.hpp"
#include "tools/report/trace_file.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/per_node.hpp"
#include "tools/run/run_result.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

bool is_recorded_for_host() {
  const EmbeddingProgram* const host = embedding_program();
  return host != nullptr && host->wants_recording();
}

std::unique_ptr<OutputFile> opened_or_none(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

/// The load of each link in a run in wall-clock time: the packets that crossed it.
Json loads_json(const Counted& counted) {
  std::vector<std::uint32_t> packets;
  for (const LinkCounters& link : counted.counters.links)
    packets.push_back(static_cast<std::uint32_t>(per_run(link.total_packets(), counted.runs)));
  return {{"packets", pack_words(packets)}};
}

}  // namespace

void add_observation_options(CLI::App& command, ObservationOptions& options) {
  begin_group(command, "Output");
  add_file_option(command, "--record", options.record,
                  "write the result and the state of links and FIFOs over time, for toroid report");
  CLI::Option* const trace =
      add_file_option(command, "--trace", options.trace, "write packet paths for ui.perfetto.dev");
  add_report_option(command, options.report);
  add_file_option(command, "--csv", options.csv,
                  "write a line for each node: when it ended, what it sent and received, how long "
                  "its FIFOs were stalled");
  command
      .add_option("--trace-limit", options.trace_bytes,
                  "maximum size of the trace (without a unit: MB); packets are omitted to fit")
      ->type_name("SIZE")
      ->needs(trace)
      ->transform(byte_count({.min = kMegabyte, .max = 4096 * kMegabyte, .unit = 1e6}))
      ->default_str("64MB");
}

Observation::Observation(const ObservationOptions& options, ReportNotice notice, const Shape& shape,
                         const Machine& machine, const RunOptions& run)
    : options_(run.processes.reports() ? options : ObservationOptions()),
      shape_(shape),
      machine_(machine),
      csv_(opened_or_none(options_.csv)),
      report_(options_.report, notice) {
  const bool is_sim = run.fabric == FabricName::sim;
  const bool for_report = !options_.report.empty() && fits_a_page();
  const bool for_host = is_recorded_for_host() && fits_a_page();
  if (!is_sim || (options_.record.empty() && options_.trace.empty() && !for_report && !for_host))
    return;
  recorder_.emplace(shape, machine);
  if (!options.trace.empty())
    tracer_.emplace(shape, machine, most_trace_slices(shape, options.trace_bytes));
  record_ = opened_or_none(options_.record);
  trace_ = opened_or_none(options_.trace);
}

bool Observation::fits_a_page() const {
  return most_samples(shape_, machine_.injection_fifos + machine_.priority_injection_fifos) > 0;
}

RunOptions Observation::observed(RunOptions options) {
  if (recorder_) options.sim.probe = this;
  return options;
}

void Observation::write(const Json& report, const FabricCounters& counters, unsigned runs,
                        const Json& more) {
  const Counted counted{counters, shape_, machine_, 0, runs};
  if (EmbeddingProgram* const host = embedding_program()) host->take_counters(counters, shape_);
  Json result = report;
  result.update(more);
  if (recorder_) {
    const Recording recording = recorder_->finish(counters);
    if (tracer_) write_trace_file(recording, true);
    if (is_recorded_for_host()) embedding_program()->take_recording(recording);
    if (is_wanted()) result["recording"] = recording.to_json();
  } else if (is_wanted() && fits_a_page() && !is_virtual(result) && result.contains("links")) {
    result["loads"] = loads_json(counted);
  }
  if (csv_) {
    csv_->stream() << per_node_csv(counted, is_virtual(report));
    csv_->commit();
  }
  write_results(std::move(result));
}

void Observation::write_results(Json result) {
  if (record_) {
    record_->stream() << result_text(result) << '\n';
    record_->commit();
  }
  report_.write(result);
}

void Observation::write_trace_file(const Recording& recording, bool complete) {
  const TraceFile file{shape_, machine_, options_.trace_bytes, complete};
  write_trace(trace_->stream(), file, *tracer_, recording);
  trace_->commit();
}

void Observation::on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) {
  if (tracer_) tracer_->on_inject(now, node, fifo, packet);
}

void Observation::on_hop(Tick now, Rank node, Direction direction, VirtualChannel channel,
                         const ProbedPacket& packet) {
  if (tracer_) tracer_->on_hop(now, node, direction, channel, packet);
}

void Observation::on_deliver(Tick now, Rank node, const ProbedPacket& packet) {
  if (tracer_) tracer_->on_deliver(now, node, packet);
}

void Observation::on_sample(Tick now, const SimSnapshot& machine) {
  recorder_->on_sample(now, machine);
}

}  // namespace toroid
