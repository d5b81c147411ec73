// A run of a verb from its checked options to its written result. alltoall, fft, hello,
// redistribute and replay share this sequence of steps.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/message_export.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The files of a run besides --json.
struct RunFiles {
  ObservationOptions observation{};
  std::string export_to{};                ///< path of --export; empty if not given
  std::vector<std::string> others{};      ///< other files, which must differ from those above
  bool array_to_standard_output = false;  ///< the table is then printed to standard error
};

/// The steps of a run, in order: the constructor, which opens the files, so that a bad path fails
/// at once; announce(); emulation(), to whose nodes the verb then gives its programs; run();
/// collect(); and, on the process that reports, print(), write() and check(). Must outlive the
/// emulation.
class RunSession {
 public:
  /// Throws BadInput if two files are the same or one cannot be written.
  RunSession(const CommonOptions& common, const Shape& shape, const Machine& machine,
             const RunOptions& run, const RunFiles& files = {});

  /// Whether this is the process that reports.
  bool reports() const { return run_.processes.reports(); }
  /// Whether there will be a recording or a report.
  bool is_observed() const { return observation_.is_wanted(); }
  /// Prints the expected time and memory of the run. Throws BadInput if the memory does not
  /// suffice. `array_bytes` is the size of the arrays of all nodes.
  void announce(const RunWork& work, double array_bytes) const;
  /// Makes the machine. `under` has the options of the run, including the settings of its policy.
  Emulation emulation(const RunOptions& under, std::uint64_t packets_expected);
  /// Calls run() and returns its result. If the run fails, writes its trace up to the failure.
  template <typename Run>
  auto run(const Run& run) {
    return observation_.guard(run);
  }
  /// Collects the exported messages of all processes; all processes call it. Returns whether this
  /// process reports.
  bool collect(const Emulation& emulation);
  /// Prints the table unless --quiet is given or JSON goes to standard output.
  void print(std::string_view table) const;
  /// Writes all files. The emulation's counters are sums over `runs` equal runs. `more` has the
  /// keys that a report has in addition to the result.
  void write(const Emulation& emulation, const Json& report, unsigned runs = 1,
             const Json& more = Json::object());
  /// Throws RunFailed if links have passed on damaged packets undetected.
  void check(const Emulation& emulation) const;

 private:
  const Shape& shape_;
  const Machine& machine_;
  const RunOptions& run_;
  bool quiet_;
  std::FILE* table_;
  JsonOutput json_;
  Observation observation_;
  MessageExport messages_;
};

}  // namespace toroid
