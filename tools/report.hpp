// Results as JSON with the keys that scripts rely on, and as a table for people.
#pragma once

#include <string>

#include "tools/emulation.hpp"
#include "tools/json.hpp"
#include "tools/options.hpp"
#include "tools/output_file.hpp"
#include "tools/result_hash.hpp"

namespace toroid {

/// A result without its figures: verb, version, machine, torus, seed.
Json report_head(std::string_view verb, const CommonOptions& common, const Shape& shape,
                 const Machine& machine);
/// Whether time is virtual.
bool is_virtual(const Json& report);

struct Timing {
  Tick cycles;
  Tick bound_cycles;
  Tick hottest_link_cycles;  ///< percent_of_peak = this / cycles
};
/// time_s, cycles, bound_cycles, percent_of_peak.
void add_timing(Json& report, const Timing& timing, const Machine& machine);
/// packets, packet_hops, links, channels, injection_fifos; adds the same numbers to the hash.
void add_counters(Json& report, ResultHash& hash, const FabricCounters& counters,
                  const Shape& shape, const Machine& machine, Tick cycles);
/// result_hash: of what was added and of the whole report so far, the build's git_hash left out; on
/// fabrics whose time is the wall clock also everything that depends on it.
void add_hash(Json& report, ResultHash hash);
/// Where time is the wall clock: workers and route; on `ofi` processes and provider too.
void add_workers(Json& report, const CommonOptions& common, const Emulation& emulation);
/// wall_s, packet_hops_per_cpu_s and, on `sim`, threads: not covered by the hash.
void add_wall_clock(Json& report, const Emulation& emulation);

/// Of packets, from their injection to their handlers, in cycles.
template <typename Histogram>
Json latency_json(const Histogram& latency) {
  return {{"p50", latency.permille(500)}, {"p99", latency.permille(990)}, {"max", latency.max()}};
}

/// Percent; where `whole` is 0, 100 of nothing and 0 of anything.
double percent(Tick part, Tick whole);
/// The lines that all verbs print: time, bound, links.
std::string summary_table(const Json& report);

/// Where --json goes; opened before the run, so that a bad path costs nothing.
class JsonOutput {
 public:
  /// Throws BadInput if the path cannot be written.
  explicit JsonOutput(const std::string& path);
  void write(const Json& report);
  bool to_standard_output() const { return standard_output_; }

 private:
  bool standard_output_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
