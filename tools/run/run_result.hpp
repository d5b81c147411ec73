// Results as JSON with the keys that scripts rely on, and as a table for people.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/bound.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// A result without its figures: verb, version, machine, torus, seed.
Json report_head(std::string_view verb, const CommonOptions& common, const Shape& shape,
                 const Machine& machine);
/// What schedules packets: policy_json(), transit_first, bubble_rule; null where nothing reads it.
void add_policy(Json& report, const RunOptions& run, const PolicyEffects& effects);
/// Whether time is virtual.
bool is_virtual(const Json& report);

/// time_s, bound_by, percent_of_bound; of virtual time cycles, bound_cycles and percent_of_peak,
/// else bound_s.
void add_timing(Json& report, const Timing& timing);

/// What a fabric counted in some runs of one thing.
struct Counted {
  const FabricCounters& counters;
  const Shape& shape;
  const Machine& machine;
  Tick cycles;        ///< of one run; counts where time is virtual
  unsigned runs = 1;  ///< alike
};
/// Adds the counters of one run (packets, packet_hops, links, channels, injection_fifos) to the
/// report and to the hash. On the route `direct`, where packets cross no links, nothing about
/// links.
void add_counters(Json& report, ResultHash& hash, const Counted& counted);
/// result_hash: of what was added and of the whole report so far, the build's version and git_hash
/// left out; on fabrics whose time is the wall clock also everything that depends on it.
void add_hash(Json& report, ResultHash hash);
/// Where time is the wall clock: workers and route; on `ofi` processes and provider too.
void add_workers(Json& report, const Emulation& emulation);
/// wall_s, packet_hops_per_cpu_s (of the CPU time of the threads that ran the nodes) and, on `sim`,
/// threads: not covered by the hash.
void add_wall_clock(Json& report, const Emulation& emulation);

/// The latencies of packets in cycles, from injection to handler.
template <typename Histogram>
Json latency_json(const Histogram& latency) {
  return {{"p50", latency.permille(500)}, {"p99", latency.permille(990)}, {"max", latency.max()}};
}

/// The same with their mean, which no result_hash of one run covers.
template <typename Histogram>
Json latency_and_mean_json(const Histogram& latency) {
  Json json = {{"mean", latency.mean()}};
  json.update(latency_json(latency));
  return json;
}

/// Percent; where `whole` is 0, 100 of nothing and 0 of anything.
double percent(Tick part, Tick whole);
double percent_of(double part, double whole);
/// The lines that all commands print: time, bound, links.
std::string summary_table(const Json& report);

/// The result as it is written: indented, with its command and date. A machine may be named after a
/// file whose name is not UTF-8; what is not becomes U+FFFD.
std::string result_text(const Json& result);

/// Where --json goes; opened before the run, so that a bad path costs nothing.
class JsonOutput {
 public:
  /// Throws BadInput if the path cannot be written.
  explicit JsonOutput(const std::string& path);
  /// Writes the JSON, with its numbers as people write them.
  void write(const Json& report);
  bool to_standard_output() const { return standard_output_; }

 private:
  bool standard_output_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
