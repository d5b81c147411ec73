#include "tools/lab/campaign/options.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "hal/check.hpp"
#include "tools/lab/campaign/row_table.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/report_output.hpp"

namespace toroid {

void add_campaign_options(CLI::App& verb, CampaignOptions& options) {
  add_campaign_lists(verb, options.lists);
  add_peers_option(verb, options.peers);
  begin_group(verb, "Output");
  add_file_option(verb, "--csv", options.csv, "write the rows as comma-separated values");
  add_file_option(verb, "--resume", options.resume,
                  "journal: keep finished runs in this file, and skip runs that it already has");
  verb.add_option("--columns", options.columns,
                  "columns of the table: usual; network (mean latency and hops, accepted rate, "
                  "links, packet length); all")
      ->check(one_of("columns", kColumnChoices))
      ->capture_default_str();
  verb.add_option(
          "--shard", options.shard,
          "run only part I of N, e.g. 2/4, for toroid merge: cases I, I+N, I+2N...; needs "
          "--resume; {shard} in file names becomes I (default in a Slurm job array: the task's "
          "part)")
      ->type_name("I/N")
      ->check(not_empty());
  add_report_option(verb, options.report);
  add_common_options(verb, options.common);
  verb.get_option("--threads")
      ->description(
          "on sim: number of concurrent runs; on shm and ofi: number of workers of each run and "
          "process (default: one per core)");
}

void keep_silent(CampaignOptions& options) {
  options.common.quiet = true;
  for (std::string* path : {&options.common.json, &options.csv, &options.resume, &options.report})
    path->clear();
}

void take_shard(CampaignOptions& options) {
  if (options.merged != nullptr) return;
  const bool is_typed = !options.shard.empty();
  // An embedding program decides itself what to run.
  const bool is_task = !is_typed && embedding_program() == nullptr;
  if (is_typed) options.part = parse_shard(options.shard);
  if (is_task) options.part = slurm_shard().value_or(Shard{});
  for (std::string* path : {&options.common.json, &options.csv, &options.resume, &options.report})
    *path = with_shard(*path, options.part);
  if (options.part.is_whole()) return;
  const std::string from_slurm =
      is_typed ? ""
               : fmt::format("; SLURM_ARRAY_TASK_ID chose this shard; --shard 1/1 runs all cases");
  if (options.resume.empty())
    throw BadInput(fmt::format("--shard {} needs --resume FILE, which toroid merge reads{}",
                               options.part.text(), from_slurm));
}

std::string shard_line(const CampaignOptions& options, std::size_t mine, std::size_t all) {
  if (options.part.is_whole()) return "";
  return fmt::format("shard {}, {} of {} case{}\n", options.part.text(), mine, all,
                     all == 1 ? "" : "s");
}

void take_merged(CLI::App& app, CampaignOptions& options, MergedJournals& journals,
                 const MergeOutputs& outputs) {
  std::vector<std::string> words = journals.arguments();
  std::ranges::reverse(words);  // CLI11 takes the words in reverse order
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw BadInput(one_line(fmt::format("the journals' campaign: {}", error.what())));
  }
  options.merged = &journals;
  options.common.json = outputs.json;
  options.common.quiet = outputs.quiet;
  options.csv = outputs.csv;
  options.report = outputs.report;
  options.resume.clear();
}

}  // namespace toroid
