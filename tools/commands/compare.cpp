// toroid compare: policies beside each other, on every torus, at every size, under every traffic.
#include <CLI/CLI.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/campaign/case.hpp"
#include "tools/campaign/expected.hpp"
#include "tools/campaign/options.hpp"
#include "tools/campaign/result.hpp"
#include "tools/campaign/row_table.hpp"
#include "tools/campaign/run_case.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/command_line/option_values.hpp"
#include "tools/command_line/terminal.hpp"
#include "tools/command_line/wrap.hpp"
#include "tools/commands/commands.hpp"
#include "tools/results/json.hpp"

namespace toroid {
namespace {

/// Of what somebody counts on the fabric.
std::vector<FigureColumn> compare_columns(const CampaignSettings& settings) {
  const bool is_virtual = settings.is_virtual();
  std::vector<FigureColumn> columns = time_columns(settings);
  if (is_virtual) columns.push_back(figure_column({"% link", 5, false, 1}, "/percent_of_peak", 1));
  if (is_virtual || settings.common.route != "direct") {
    columns.push_back(figure_column({"hottest", 7, false, 3}, "/links/max_load"));
    columns.push_back(figure_column({"mean link", 8, false, 6}, "/links/mean_load", 1));
  }
  for (FigureColumn& column : latency_columns(settings, {2, 4}))
    columns.push_back(std::move(column));
  if (is_virtual)
    columns.push_back(figure_column({"stalled %", 5, false, 5}, "/fifos/stalled_percent", 1));
  return columns;
}

/// What is compared with each other: all but the policy is equal.
bool are_comparable(const Json& a, const Json& b) {
  const auto equal = [&](const char* key) { return a[key] == b[key]; };
  return equal("traffic") && equal("torus") && equal("bytes");
}

bool is_fastest(const Json& row, std::span<const Json> rows) {
  bool has_rival = false;
  for (const Json& other : rows) {
    if (!are_comparable(row, other) || other.contains("error")) continue;
    has_rival |= other["policy"] != row["policy"];
    if (other["time_s"] < row["time_s"]) return false;
  }
  return has_rival;
}

/// The winners, where there was a race.
std::string fastest_lines(std::span<const Json> rows, const RowTable& table) {
  std::string text;
  for (const Json& row : rows)
    if (!row.contains("error") && is_fastest(row, rows))
      text += "  " + with_hanging_indent(table.case_text(row), line_width() - 2, 4);
  return text.empty() ? "" : "the fastest of each traffic, torus and size:\n" + text;
}

int run(const CampaignOptions& options) {
  CampaignSettings settings = lab_settings(options.common);
  settings.peers = options.peers;
  const std::vector<CampaignCase> cases = make_cases(options.lists, options.common.seed);
  refuse_unfit(cases, settings);
  CampaignOutputs outputs(options, "compare", settings);

  announce_cases(cases, settings, outputs.journal());
  const RowTable table(cases, compare_columns(settings), settings);
  RowSink show;
  if (outputs.shows_table()) {
    print_now(table.head());
    show = [&](const Json& row) { print_now(table.line(row)); };
  }
  CaseRows made = run_cases(cases, settings, outputs.journal(), show);
  const CampaignResult result{.verb = "compare",
                              .axis = "policy",
                              .axes = axes_of(cases),
                              .rows = made.finished(),
                              .interrupted = made.interrupted()};
  if (outputs.shows_table()) print_now(fastest_lines(result.rows, table) + table.remark());
  outputs.write(campaign_report(result, settings));
  return exit_code(result.rows);
}

}  // namespace

CommandRun add_compare_command(CLI::App& app) {
  auto options = std::make_shared<CampaignOptions>();
  CLI::App* verb = app.add_subcommand("compare", "policies beside each other, in one table");
  add_campaign_options(*verb, *options);
  add_examples(*verb, {{"three orders beside each other",
                        "toroid compare --torus 4x4x4 --policies random,shift,rank"},
                       {"at sizes from 240 B to 3840 B, as a table and CSV",
                        "toroid compare --torus 4x4 --bytes 240:4kB:x2 --csv rows.csv"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
