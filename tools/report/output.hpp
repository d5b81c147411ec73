// --report: the page of a result, in one step with the run.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <memory>
#include <string>

#include "tools/io/output_file.hpp"
#include "tools/results/json.hpp"

namespace toroid {

/// Adds --report FILE.
void add_report_option(CLI::App& verb, std::string& path);

/// Where it is said that the report was written.
enum class ReportNotice : unsigned char { none, standard_output, standard_error };
/// Nowhere if quiet; not in standard output where that is filled with JSON or an array.
ReportNotice report_notice(bool quiet, bool fills_standard_output);

/// Opened before the run, so that a bad path costs nothing. What is written is the page that
/// `toroid report` makes of the result's file.
class ReportOutput {
 public:
  /// An empty path: none is wanted. Throws BadInput if the path cannot be written.
  ReportOutput(const std::string& path, ReportNotice notice);

  bool is_wanted() const { return file_ != nullptr; }
  /// After the run. The result may have what --record adds: recording, slices, loads.
  void write(const Json& result);

 private:
  std::string path_;
  ReportNotice notice_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
