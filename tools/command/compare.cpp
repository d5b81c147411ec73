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

/// Runs all cases on rings too, and adds how well both fabrics agree on the order of policies.
/// Returns the exit code.
int validate(const RingCases& rings, std::span<const Json> summary, const RowTable& table,
             CampaignResult& result, bool shows_table) {
  const CaseRows there = rows_on_rings(rings);
  result.interrupted = there.interrupted();
  if (result.interrupted) return 0;
  const std::vector<Json> failed = failures_of(there.rows);
  const std::vector<Json> agreement = agreement_of(summary, summary_of(without_failed(there.rows)));
  result.agreement = agreement;
  if (!failed.empty()) result.failed_there = failed;
  if (shows_table) print_now(failure_lines(failed, table) + agreement_text(agreement, table));
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

int run(const CompareOptions& typed) {
  CompareOptions all = typed;
  const CampaignOptions& options = all.campaign;
  take_shard(all.campaign);
  note_single_seed(options.lists, options.common);
  refuse_validating(all);
  CampaignSettings settings =
      campaign_settings(options.common, concerns_links(options.lists, options.common));
  settings.peers = options.peers;
  settings.validates = all.validate;
  ScheduleFiles files;
  std::vector<CampaignCase> cases = make_cases(options.lists, settings, files);
  const std::vector<CampaignCase> mine = dealt(cases, options.part);
  if (options.merged == nullptr) refuse_unfit(cases, settings);
  std::optional<RingCases> rings;
  if (all.validate) {
    rings = cases_on_rings(all, files);
    refuse_unfit(rings->cases, rings->settings);
  }
  CampaignOutputs outputs(options, "compare", settings);

  RunEstimate expected = expected_of(mine, settings, outputs.finished());
  if (rings) {
    const RunEstimate there = expected_of(rings->cases, rings->settings, nullptr);
    expected.seconds += kRunsOnRings * there.seconds;
    expected.bytes = std::max(expected.bytes, there.bytes);
  }
  announce(expected, settings.common.quiet);
  const RowTable table(
      cases,
      chosen_columns(parse_choice<ColumnChoice>("columns", kColumnChoices, options.columns),
                     compare_columns(settings), settings),
      settings);
  if (options.merged != nullptr) options.merged->expect(cases);
  RowSink show;
  if (outputs.shows_table()) {
    print_now(shard_line(options, mine.size(), cases.size()) + table.head());
    show = [&](const Json& row) { print_now(table.line(row)); };
  }
  CaseRows made = run_cases(mine, settings, outputs.finished(), show);
  CampaignResult result{.verb = "compare",
                        .axis = "policy",
                        .axes = axes_of(cases),
                        .rows = made.finished(),
                        .shard = options.part.is_whole() ? "" : options.part.text(),
                        .interrupted = made.interrupted()};
  // A shard has no summary, because the policies to compare may be in other shards.
  const std::vector<Json> summary =
      options.part.is_whole() ? summary_of(result.rows) : std::vector<Json>();
  const bool has_seeds = options.lists.seeds.size() > 1 && options.part.is_whole();
  if (has_seeds) result.summary = summary;
  if (outputs.shows_table())
    print_now((has_seeds ? summary_text(summary, table) : best_lines(summary, table)) +
              table.remark());
  int code = exit_code(result.rows);
  if (rings && !result.interrupted)
    code = std::max(code, validate(*rings, summary, table, result, outputs.shows_table()));
  outputs.write(campaign_report(result, settings));
  return code;
}

void add_compare_options(CLI::App& verb, CompareOptions& options) {
  add_campaign_options(verb, options.campaign);
  begin_group(verb, "Cases");
  verb.add_flag(
      "--validate", options.validate,
      "also run every case five times on shm --route torus and report how well the rankings agree");
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
