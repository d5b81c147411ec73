// The outputs of `compare` and `sweep`: JSON, CSV, report and journal.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/output_file.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/options.hpp"
#include "tools/lab/campaign/rows_elsewhere.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Opens all files before the first run, so that a bad path is found early. Throws BadInput.
class CampaignOutputs {
 public:
  CampaignOutputs(const CampaignOptions& options, std::string_view verb,
                  const CampaignSettings& settings);

  /// Lets finished() of all processes have the cases that the journal of the reporting process has.
  /// All processes call it, with the same cases.
  void share_finished(std::span<const CampaignCase> cases, const Processes& processes);
  FinishedRows* finished() const { return merged_ != nullptr ? merged_ : kept(); }
  /// Whether the table may be printed.
  bool shows_table() const { return !quiet_ && !json_.to_standard_output(); }
  /// Writes the JSON, the CSV and the report page, each with version, machine and seed. If rows are
  /// missing because of an interruption, throws RunFailed afterwards. If there are no rows at all,
  /// nothing is written.
  void write(Json report);

 private:
  FinishedRows* kept() const;
  [[noreturn]] void tell_of_interruption(std::size_t rows) const;

  bool quiet_;
  FinishedRows* merged_;
  std::vector<std::string> paths_;  ///< of JSON, CSV and report
  JsonOutput json_;
  ReportOutput report_;
  std::unique_ptr<OutputFile> csv_;
  std::unique_ptr<Journal> journal_;          ///< opened last, after all other outputs are accepted
  std::unique_ptr<RowsElsewhere> elsewhere_;  ///< null on the process that reports
};

/// The end of a campaign on a process that does not report. Throws RunFailed if it was interrupted.
/// Returns the exit code.
int end_silently(bool interrupted);
/// 1 if a row has an error, otherwise 0.
int exit_code(std::span<const Json> rows);

}  // namespace toroid
