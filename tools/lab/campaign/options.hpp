// The command line options shared by `compare` and `sweep`.
#pragma once

#include <cstddef>
#include <string>

#include "hal/shape.hpp"
#include "tools/options/cli_fwd.hpp"

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/merged_journals.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/options/common_options.hpp"

namespace toroid {

struct CampaignOptions {
  CommonOptions common;
  CampaignLists lists;
  Rank peers = 0;
  std::string csv;
  std::string resume;
  std::string report;
  std::string columns = "usual";
  /// As typed. If empty, the shard of this Slurm task, or all cases outside of Slurm.
  std::string shard;
  Shard part{};                      ///< the part to run; set by take_shard()
  MergedJournals* merged = nullptr;  ///< source of all rows; null if the cases are run
};
void add_campaign_options(CLI::App& verb, CampaignOptions& options);

/// Sets `part` and replaces "{shard}" in the names of files. Throws BadInput if a part is to be run
/// without a journal, since there would be nothing to merge; the message says if Slurm chose the
/// part.
void take_shard(CampaignOptions& options);
/// Takes away all outputs, for a process that does not report.
void keep_silent(CampaignOptions& options);
/// A line such as "shard 2/4, 6 of 24 cases"; empty if all cases are run.
std::string shard_line(const CampaignOptions& options, std::size_t mine, std::size_t all);

/// Files that a merged campaign is written to, and whether to print its table.
struct MergeOutputs {
  std::string json, csv, report;
  bool quiet = false;
};
/// Parses the arguments of the journals' campaign with `app`, which fills `options`, and sets the
/// outputs.
void take_merged(CLI::App& app, CampaignOptions& options, MergedJournals& journals,
                 const MergeOutputs& outputs);

}  // namespace toroid
