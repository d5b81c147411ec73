// Results as JSON with stable keys for scripts, and as a table for people.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The first keys of a result, which name the run: verb, version, machine, torus, seed, ...
Json report_head(std::string_view verb, const CommonOptions& common, const Shape& shape,
                 const Machine& machine);
/// Adds how packets are scheduled: the keys of policy_json(), transit_first and bubble_rule (null
/// if they have no effect), transfer and, if links are checked, link_errors.
void add_policy(Json& report, const RunOptions& run, const PolicyEffects& effects);
/// Whether the time of the run is virtual.
bool is_virtual(const Json& report);

/// Adds time_s, bound_by and percent_of_bound; in virtual time also cycles, bound_cycles and
/// percent_of_peak, otherwise bound_s.
void add_timing(Json& report, const Timing& timing);

/// The count of one run, from its sum over `runs` equal runs; rounded.
std::uint64_t per_run(std::uint64_t count, unsigned runs);

/// The counters of a fabric over one or more equal runs.
struct Counted {
  const FabricCounters& counters;
  const Shape& shape;
  const Machine& machine;
  Tick cycles;        ///< of one run; used in virtual time
  unsigned runs = 1;  ///< number of equal runs
};
/// Adds the counters of one run (packets, packet_hops, links, channels, injection_fifos, per_node)
/// to the report and to the hash. Omits links on the route `direct`, where packets cross none.
void add_counters(Json& report, ResultHash& hash, const Counted& counted);
/// Adds result_hash, which covers the content of `hash` and the whole report so far, except
/// version, git_hash and transfer, and in wall-clock time everything that depends on the clock.
void add_hash(Json& report, ResultHash hash);
/// Count, median, quartiles, least and greatest of the times, in seconds. REQUIRES: `cycles` is
/// sorted and not empty.
Json repetitions_json(std::span<const Tick> cycles, const Machine& machine);
/// The line about repetitions.
std::string repetitions_text(const Json& repetitions);
/// In wall-clock time adds workers and route; on `ofi` also processes and provider.
void add_workers(Json& report, const Emulation& emulation);
/// Adds wall_s, packet_hops_per_cpu_s (CPU time of the threads that ran the nodes) and, on `sim`,
/// threads. The hash does not cover them.
void add_wall_clock(Json& report, const Emulation& emulation);

/// The latencies of packets in cycles, from injection to handler.
template <typename Histogram>
Json latency_json(const Histogram& latency) {
  return {{"p50", latency.permille(500)}, {"p99", latency.permille(990)}, {"max", latency.max()}};
}

/// latency_json() and the mean latency. The result_hash of a single run does not cover the mean.
template <typename Histogram>
Json latency_and_mean_json(const Histogram& latency) {
  Json json = {{"mean", latency.mean()}};
  json.update(latency_json(latency));
  return json;
}

/// 100 * part / whole. If `whole` is 0, the result is 100 if `part` is 0 too, and 0 otherwise.
double percent(Tick part, Tick whole);
double percent_of(double part, double whole);
/// The lines that all commands print: time, bound, links.
std::string summary_table(const Json& report);
/// "64 nodes", or "64 nodes with 128 ranks".
std::string nodes_text(const Shape& shape);

/// The result as it is written: indented, with its command and date. Bytes that are not UTF-8,
/// which a machine file's name may contain, become U+FFFD.
std::string result_text(const Json& result);

/// The output of --json. It is opened before the run, so that a bad path fails at once.
class JsonOutput {
 public:
  /// Throws BadInput if the path cannot be written.
  explicit JsonOutput(const std::string& path);
  /// Writes the JSON, with numbers free of rounding noise.
  void write(const Json& report);
  bool to_standard_output() const { return standard_output_; }

 private:
  bool standard_output_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
