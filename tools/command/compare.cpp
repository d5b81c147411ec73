// toroid compare: compares policies on every torus, at every size, under every traffic pattern.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/command/commands.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/merged_journals.hpp"
#include "tools/lab/campaign/options.hpp"
#include "tools/lab/campaign/outputs.hpp"
#include "tools/lab/campaign/resource_estimate.hpp"
#include "tools/lab/campaign/result_formats.hpp"
#include "tools/lab/campaign/row_table.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/summary.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

struct CompareOptions {
  CampaignOptions campaign;
  bool validate = false;
};

/// The columns for the figures that a run on the fabric reports.
std::vector<FigureColumn> compare_columns(const CampaignSettings& settings) {
  const bool is_virtual = settings.is_virtual();
  std::vector<FigureColumn> columns = time_columns(settings);
  if (is_virtual) columns.push_back(figure_column({"% link", 5, false, 1}, "/percent_of_peak", 1));
  if (is_virtual || settings.common.route != "direct") {
    columns.push_back(figure_column({"max load", 8, false, 3}, "/links/max_load"));
    columns.push_back(figure_column({"mean link", 8, false, 6}, "/links/mean_load", 1));
  }
  for (FigureColumn& column : latency_columns(settings, {2, 4}))
    columns.push_back(std::move(column));
  if (is_virtual)
    columns.push_back(figure_column({"stalled %", 5, false, 5}, "/fifos/stalled_percent", 1));
  constexpr unsigned kSparedFirst = 11;  // after the columns above
  for (FigureColumn& column : profile_columns(kSparedFirst)) columns.push_back(std::move(column));
  return columns;
}

/// One line for each group of cases in which one policy is the fastest, or several are with equal
/// times; empty if there is no such group.
std::string best_lines(std::span<const Json> summary, const RowTable& table) {
  std::string text;
  for (const Json& one : fastest_of(summary))
    text += "  " + with_hanging_indent(table.case_text(one), line_width() - 2, 4);
  return text.empty() ? "" : "fastest policy for each traffic, torus and size:\n" + text;
}

/// The number of runs per case on rings. Their mean is used, because a single wall-clock time says
/// little.
constexpr unsigned kRunsOnRings = 5;

/// The same cases on `shm`, hop by hop over rings in shared memory.
struct RingCases {
  CampaignSettings settings;
  std::vector<CampaignCase> cases;
};
RingCases cases_on_rings(const CompareOptions& options, ScheduleFiles& files) {
  CommonOptions common = options.campaign.common;
  common.fabric = name_of<FabricName>(kFabricNames, FabricName::shm);
  common.route = name_of<RingRoute>(kRingRouteNames, RingRoute::torus);
  common.transfer.clear();  // hop by hop everything moves in packets
  const CampaignSettings settings = campaign_settings(common);
  return {settings, make_cases(options.campaign.lists, settings, files)};
}

/// Runs each case kRunsOnRings times. Rows are missing if the command is interrupted.
CaseRows rows_on_rings(const RingCases& rings) {
  CaseRows all;
  for (unsigned run = 0; run < kRunsOnRings && !all.interrupted(); ++run)
    std::ranges::move(run_cases(rings.cases, rings.settings, nullptr, {}).rows,
                      std::back_inserter(all.rows));
  return all;
}

/// The runs that failed, one line each.
std::string failure_lines(std::span<const Json> failed, const RowTable& table) {
  std::string text;
  for (const Json& row : failed)
    text += "  " + with_hanging_indent(
                       fmt::format("{}: {}", table.case_text(row), row["error"].get<std::string>()),
                       line_width() - 2, 4);
  return text.empty() ? "" : "failed on shm --route torus:\n" + text;
}

/// Runs all cases on rings too, and adds their times, and how well both fabrics agree on the order
/// of policies. Returns the exit code.
int validate(const RingCases& rings, std::span<const Json> summary, const RowTable& table,
             CampaignResult& result, bool shows_table) {
  warn_of_shared_cores(rings.cases, rings.settings);
  const CaseRows there = rows_on_rings(rings);
  result.interrupted = there.interrupted();
  if (result.interrupted) return 0;
  const std::vector<Json> failed = failures_of(there.rows);
  const std::vector<Json> times = summary_of(without_failed(there.rows));
  const std::vector<Json> agreement = agreement_of(summary, times);
  result.summary_there = times;
  result.agreement = agreement;
  if (!failed.empty()) result.failed_there = failed;
  if (shows_table)
    print_now(failure_lines(failed, table) + times_there_text(summary, times, table) +
              agreement_text(agreement, table));
  return exit_code(there.rows);
}

/// Refuses --validate with merged journals or with a shard.
void refuse_validating(const CompareOptions& all) {
  if (!all.validate) return;
  if (all.campaign.merged != nullptr)
    throw BadInput("journals do not contain the runs of --validate on shm: cannot merge them");
  if (!all.campaign.part.is_whole())
    throw BadInput("--validate needs all cases: it cannot be combined with --shard");
}

/// The cases of a comparison, and the same cases on rings with --validate.
struct Comparison {
  CampaignSettings settings;
  ScheduleFiles files{};
  std::vector<CampaignCase> cases{};
  std::vector<CampaignCase> mine{};  ///< those of the shard
  std::optional<RingCases> rings{};
};

/// Throws BadInput if a case cannot be run.
void make_all_cases(const CompareOptions& all, Comparison& made) {
  const CampaignOptions& options = all.campaign;
  made.cases = make_cases(options.lists, made.settings, made.files);
  made.mine = dealt(made.cases, options.part);
  if (options.merged == nullptr) refuse_unfit(made.cases, made.settings);
  if (!all.validate) return;
  made.rings = cases_on_rings(all, made.files);
  refuse_unfit(made.rings->cases, made.rings->settings);
}

RunEstimate expected_of(const Comparison& all, FinishedRows* finished) {
  RunEstimate expected = expected_of(all.mine, all.settings, finished);
  if (!all.rings) return expected;
  const RunEstimate there = expected_of(all.rings->cases, all.rings->settings, nullptr);
  expected.seconds += kRunsOnRings * there.seconds;
  expected.bytes = std::max(expected.bytes, there.bytes);
  return expected;
}

RowTable row_table_of(const CampaignOptions& options, const Comparison& all) {
  return {all.cases,
          chosen_columns(parse_choice<ColumnChoice>("columns", kColumnChoices, options.columns),
                         compare_columns(all.settings), all.settings),
          all.settings};
}

/// Runs the cases and shows each row. Returns their rows without a summary.
CampaignResult result_of(const CampaignOptions& options, const Comparison& all,
                         const CampaignOutputs& outputs, const RowTable& table) {
  if (options.merged != nullptr)
    options.merged->expect(all.cases);
  else if (!all.settings.is_virtual())
    warn_of_shared_cores(all.mine, all.settings);
  RowSink show;
  if (outputs.shows_table()) {
    print_now(shard_line(options, all.mine.size(), all.cases.size()) + table.head());
    show = [&](const Json& row) { print_now(table.line(row)); };
  }
  const CaseRows made = run_cases(all.mine, all.settings, outputs.finished(), show);
  return {.verb = "compare",
          .axis = "policy",
          .axes = axes_of(all.cases),
          .rows = made.finished(),
          .shard = options.part.is_whole() ? "" : options.part.text(),
          .interrupted = made.interrupted()};
}

int run_comparison(const CompareOptions& all, Comparison made) {
  const CampaignOptions& options = all.campaign;
  make_all_cases(all, made);
  CampaignOutputs outputs(options, "compare", made.settings);
  outputs.share_finished(made.mine, made.settings.run.processes);
  announce(expected_of(made, outputs.finished()), made.settings.common.quiet);
  const RowTable table = row_table_of(options, made);
  CampaignResult result = result_of(options, made, outputs, table);
  if (!made.settings.reports()) return end_silently(result.interrupted);
  // A shard has no summary, because the policies to compare may be in other shards.
  const std::vector<Json> summary =
      options.part.is_whole() ? summary_of(result.rows) : std::vector<Json>();
  const bool has_seeds = options.lists.seeds.size() > 1 && options.part.is_whole();
  if (has_seeds) result.summary = summary;
  if (outputs.shows_table())
    print_now((has_seeds ? summary_text(summary, table) : best_lines(summary, table)) +
              table.remark());
  int code = exit_code(result.rows);
  if (made.rings && !result.interrupted)
    code = std::max(code, validate(*made.rings, summary, table, result, outputs.shows_table()));
  outputs.write(campaign_report(result, made.settings));
  return code;
}

int run(const CompareOptions& typed) {
  CompareOptions all = typed;
  CampaignOptions& options = all.campaign;
  take_shard(options);
  refuse_validating(all);
  Comparison made{campaign_settings(options.common, concerns_links(options.lists, options.common))};
  CampaignSettings& settings = made.settings;
  settings.peers = options.peers;
  settings.validates = all.validate;
  if (options.merged != nullptr) settings.processes = options.merged->processes();
  if (!settings.reports()) keep_silent(options);
  note_single_seed(options.lists, settings.common);
  const Processes processes = settings.run.processes;
  return processes.run([&] { return run_comparison(all, std::move(made)); });
}

void add_compare_options(CLI::App& verb, CompareOptions& options) {
  add_campaign_options(verb, options.campaign);
  begin_group(verb, "Cases");
  verb.add_flag(
      "--validate", options.validate,
      "also run every case five times on shm --route torus; print times, spreads, and how well the "
      "rankings agree");
}

}  // namespace

int run_merged_compare(MergedJournals& journals, const MergeOutputs& outputs) {
  CompareOptions options;
  CLI::App app;
  add_compare_options(app, options);
  take_merged(app, options.campaign, journals, outputs);
  return run(options);
}

CommandRun add_compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "compare policies in one table");
  add_compare_options(*verb, *options);
  add_examples(*verb, {{"three orders compared",
                        "toroid compare --torus 4x4x4 --policies random,shift,rank"},
                       {"sizes from 240 B to 3840 B, as a table and as CSV",
                        "toroid compare --torus 4x4 --bytes 240:4kB:x2 --csv rows.csv"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
