// The command line that `compare` and `sweep` have in common.
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

}  // namespace toroid
