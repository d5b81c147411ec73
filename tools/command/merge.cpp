// toroid merge: makes the table of a campaign that was run in shards.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/output_file.hpp"
#include "tools/lab/campaign/merged_journals.hpp"
#include "tools/lab/campaign/options.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/report_output.hpp"

namespace toroid {
namespace {

struct MergeOptions {
  std::vector<std::string> journals;
  CommonOptions common;  ///< only its outputs are used
  MergeOutputs outputs;
};

void refuse_to_replace_a_journal(const MergeOptions& options) {
  for (const std::string& journal : options.journals)
    refuse_one_file_for_two(std::array{options.common.json == "-" ? "" : options.common.json,
                                       options.outputs.csv, options.outputs.report, journal});
}

int run(const MergeOptions& options) {
  (void)provenance();  // records the start of the command as the date
  refuse_to_replace_a_journal(options);
  MergedJournals journals(options.journals);
  MergeOutputs outputs = options.outputs;
  outputs.json = options.common.json;
  outputs.quiet = options.common.quiet;
  if (journals.verb() == "compare") return run_merged_compare(journals, outputs);
  if (journals.verb() == "sweep") return run_merged_sweep(journals, outputs);
  throw BadInput(one_line(options.journals.front() + ": not a journal of compare or sweep"));
}

}  // namespace

CommandRun add_merge_command(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb =
      app.add_subcommand("merge", "make the table of compare or sweep from its shards' journals");
  verb->add_option("JOURNALS", options->journals, "journals of all shards, written by --resume")
      ->required()
      ->check(not_empty());
  add_output_options(*verb, options->common);
  add_file_option(*verb, "--csv", options->outputs.csv, "write the rows as comma-separated values");
  add_report_option(*verb, options->outputs.report);
  add_examples(*verb, {{"half of the cases here, half elsewhere, then the complete table",
                        "toroid compare --torus 4x4 --shard 1/2 --resume 1.journal"},
                       {"", "toroid compare --torus 4x4 --shard 2/2 --resume 2.journal"},
                       {"", "toroid merge 1.journal 2.journal"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
