#include "tools/watch.hpp"

#include <ostream>

#include "tools/trace/trace_file.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

std::unique_ptr<OutputFile> opened_or_none(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

}  // namespace

void add_watch_options(CLI::App& verb, WatchOptions& options) {
  verb.add_option("--record", options.record,
                  "on sim: write the result with links and FIFOs over time, for toroid report")
      ->check(not_empty());
  CLI::Option* const trace =
      verb.add_option("--trace", options.trace, "on sim: write packets' ways for ui.perfetto.dev")
          ->check(not_empty());
  verb.add_option("--trace-limit", options.trace_megabytes,
                  "MB of the trace at most; packets are left out to keep it")
      ->needs(trace)
      ->transform(whole_number(1, 4096))
      ->capture_default_str();
}

Watch::Watch(const WatchOptions& options, const Shape& shape, const Machine& machine,
             FabricName fabric)
    : options_(options), shape_(shape), machine_(machine) {
  if (options.record.empty() && options.trace.empty()) return;
  if (fabric != FabricName::sim)
    throw BadInput(
        fmt::format("{} is for --fabric sim", options.record.empty() ? "--trace" : "--record"));
  recorder_.emplace(shape, machine);
  if (!options.trace.empty())
    tracer_.emplace(shape, machine, most_trace_slices(shape, options.trace_megabytes * kMegabyte));
  record_ = opened_or_none(options.record);
  trace_ = opened_or_none(options.trace);
}

RunOptions Watch::watched(RunOptions options) {
  if (recorder_) options.sim.probe = this;
  return options;
}

void Watch::write(const Json& report, const FabricCounters& counters) {
  if (!recorder_) return;
  const Recording recording = recorder_->finish(counters);
  if (tracer_) write_trace_file(recording, true);
  if (!record_) return;
  Json json = report;
  json["recording"] = recording.to_json();
  record_->stream() << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  record_->commit();
}

void Watch::write_trace_file(const Recording& recording, bool complete) {
  const TraceFile file{shape_, machine_, options_.trace_megabytes * kMegabyte, complete};
  write_trace(trace_->stream(), file, *tracer_, recording);
  trace_->commit();
}

void Watch::on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) {
  if (tracer_) tracer_->on_inject(now, node, fifo, packet);
}

void Watch::on_hop(Tick now, Rank node, Direction direction, VirtualChannel channel,
                   const ProbedPacket& packet) {
  if (tracer_) tracer_->on_hop(now, node, direction, channel, packet);
}

void Watch::on_deliver(Tick now, Rank node, const ProbedPacket& packet) {
  if (tracer_) tracer_->on_deliver(now, node, packet);
}

void Watch::on_sample(Tick now, const SimSnapshot& machine) {
  recorder_->on_sample(now, machine);
}

}  // namespace toroid
