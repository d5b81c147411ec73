// The command line and the outputs that `compare` and `sweep` have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/text/json.hpp"

#include "tools/files/output_file.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/merged_journals.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/options/options.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_result.hpp"

namespace toroid {

struct CampaignOptions {
  CommonOptions common;
  CampaignLists lists;
  Rank peers = 0;
  std::string csv;
  std::string resume;
  std::string report;
  std::string columns = "usual";
  std::string shard;                 ///< as typed; empty: Slurm's, or all
  Shard part{};                      ///< which is run; known by take_shard()
  MergedJournals* merged = nullptr;  ///< where all rows are; null: they are run
};
void add_campaign_options(CLI::App& verb, CampaignOptions& options);

/// Sets `part`, and puts it in place of "{shard}" in the names of files. Throws BadInput where a
/// part would leave nothing that could be merged. Says what part it is where Slurm decides it.
void take_shard(CampaignOptions& options);
/// "shard 2/4, 6 of 24 cases", a line; empty of all cases.
std::string shard_line(const CampaignOptions& options, std::size_t mine, std::size_t all);

/// Files that a merged campaign is written to, and whether its table is printed.
struct MergeOutputs {
  std::string json, csv, report;
  bool quiet = false;
};
/// Reads the arguments of the journals' campaign into the options that `verb` was made with.
void take_merged(CLI::App& app, CampaignOptions& options, MergedJournals& journals,
                 const MergeOutputs& outputs);

/// Opened before the first run, so that a bad path costs nothing. Throws BadInput.
class CampaignOutputs {
 public:
  CampaignOutputs(const CampaignOptions& options, std::string_view verb,
                  const CampaignSettings& settings);

  FinishedRows* finished() const { return merged_ != nullptr ? merged_ : kept(); }
  /// Whether the table may be printed.
  bool shows_table() const { return !quiet_ && !json_.to_standard_output(); }
  /// The report, and its rows as CSV, each with version, machine and seed. Throws RunFailed after
  /// that where an interruption has left rows out, and writes nothing where there is none at all.
  void write(Json report);

 private:
  FinishedRows* kept() const;
  [[noreturn]] void tell_of_interruption(std::size_t rows) const;

  bool quiet_;
  FinishedRows* merged_;
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
