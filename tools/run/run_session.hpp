// A run of a verb from its checked options to its written result, in the order of steps that
// alltoall, fft, hello, redistribute and replay share.
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
#include "tools/run/observation.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The files of a run besides --json.
struct RunFiles {
  ObservationOptions observation{};
  std::string export_to{};                ///< empty: none
  std::vector<std::string> others{};      ///< which none of them may be
  bool array_to_standard_output = false;  ///< the table is then printed to standard error
};

/// In this order: the files are opened, so that a bad path costs nothing; announce(); emulation(),
/// on which the verb puts its programs; run(); collect(); on the process that reports print(),
/// write() and check(). Outlives the emulation.
class RunSession {
 public:
  /// Throws BadInput where two files are one or one cannot be written.
  RunSession(const CommonOptions& common, const Shape& shape, const Machine& machine,
             const RunOptions& run, const RunFiles& files = {});

  /// Whether this is the process that reports.
  bool reports() const { return run_.processes.reports(); }
  /// Whether there will be a file or page that shows more than the result.
  bool is_observed() const { return observation_.is_wanted(); }
  /// Says what time and memory the run will take. Throws BadInput where the host has not enough.
  /// `array_bytes`: of the arrays of all nodes.
  void announce(const RunWork& work, double array_bytes) const;
  /// The machine. `under`: the run's options with what follows from its policy.
  Emulation emulation(const RunOptions& under, std::uint64_t packets_expected);
  /// Returns run().
  template <typename Run>
  auto run(const Run& run) {
    return observation_.guard(run);
  }
  /// Brings the exported messages of all processes together; all call it. Whether this process
  /// reports.
  bool collect(const Emulation& emulation);
  /// Prints the table unless the user wants none or standard output is a file's.
  void print(std::string_view table) const;
  /// Writes all files. `more`: keys that a report shows and the result does not have.
  void write(const Emulation& emulation, const Json& report, const Json& more = Json::object());
  /// Throws RunFailed where links are not sound.
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
