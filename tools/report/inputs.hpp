// The result files of a report, checked and brought to one form.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/report/recording.hpp"

namespace toroid {

/// One run: a file of alltoall or fft, or a row of compare. What the page calls a run, and if it
/// was recorded, what was.
struct ReportRun {
  Json head;
  std::optional<Recording> recording;
};

struct ReportInputs {
  std::vector<ReportRun> runs;
  std::vector<Json> sweeps;  ///< axis, file, points
  std::vector<Json> failed;  ///< name, error: rows of compare and points of sweep without a result
};

/// Throws BadInput that names the file and what was expected in it.
ReportInputs read_report_inputs(std::span<const std::string> paths);

}  // namespace toroid
