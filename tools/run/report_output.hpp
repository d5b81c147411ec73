// Implements --report: writes the page of a result at the end of its run.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <memory>
#include <string>

#include "tools/files/output_file.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Adds --report FILE.
void add_report_option(CLI::App& command, std::string& path);

/// Where the command announces that the report was written.
enum class ReportNotice : unsigned char { none, standard_output, standard_error };
/// There is no notice if `quiet` is set. The notice goes to standard error if standard output has
/// JSON or an array, otherwise to standard output.
ReportNotice report_notice(bool quiet, bool fills_standard_output);

/// The file of a report. It is the page that `toroid report` would make from the result. The file
/// is opened before the run, so that a bad path fails at once.
class ReportOutput {
 public:
  /// `path` is empty if no report is wanted. Throws BadInput if the file cannot be written.
  ReportOutput(const std::string& path, ReportNotice notice);

  bool is_wanted() const { return file_ != nullptr; }
  /// Writes the page after the run. The result may include what --record adds: recording, slices,
  /// loads.
  void write(const Json& result);

 private:
  std::string path_;
  ReportNotice notice_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
