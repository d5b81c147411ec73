// The command line and the outputs that `compare` and `sweep` have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"
#include "tools/command_line/cli_fwd.hpp"
#include "tools/results/json.hpp"

#include "tools/campaign/case.hpp"
#include "tools/campaign/journal.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/command_line/options.hpp"
#include "tools/io/output_file.hpp"
#include "tools/report/output.hpp"
#include "tools/results/run_result.hpp"

namespace toroid {

struct CampaignOptions {
  CommonOptions common;
  CampaignLists lists;
  Rank peers = 0;
  std::string csv;
  std::string resume;
  std::string report;
};
void add_campaign_options(CLI::App& verb, CampaignOptions& options);

/// Opened before the first run, so that a bad path costs nothing. Throws BadInput.
class CampaignOutputs {
 public:
  CampaignOutputs(const CampaignOptions& options, std::string_view verb,
                  const CampaignSettings& settings);

  Journal* journal() const { return journal_.get(); }
  /// Whether the table may be printed.
  bool shows_table() const { return !quiet_ && !json_.to_standard_output(); }
  /// The report, and its rows as CSV, each with version, machine and seed. Throws RunFailed after
  /// that where an interruption has left rows out, and writes nothing where there is none at all.
  void write(Json report);

 private:
  [[noreturn]] void tell_of_interruption(std::size_t rows) const;

  bool quiet_;
  std::vector<std::string> paths_;  ///< of JSON, CSV and page
  JsonOutput json_;
  ReportOutput report_;
  std::unique_ptr<OutputFile> csv_;
  std::unique_ptr<Journal> journal_;  ///< the last: what refuses the others leaves none
};

/// Throws BadInput where a case cannot be run, or this host cannot hold its nodes.
void refuse_unfit(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                  bool in_open_loop = false);

/// 1 where a row has an error, else 0.
int exit_code(std::span<const Json> rows);

}  // namespace toroid
