// toroid sweep: varies one number from small to large: offered load, message size or machine size.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/open_loop.hpp"
#include "packet/node/settings.hpp"
#include "tools/command/commands.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/merged_journals.hpp"
#include "tools/lab/campaign/options.hpp"
#include "tools/lab/campaign/outputs.hpp"
#include "tools/lab/campaign/resource_estimate.hpp"
#include "tools/lab/campaign/result_formats.hpp"
#include "tools/lab/campaign/row_table.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/saturation.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/summary.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

enum class Axis : std::uint8_t { load, bytes, nodes };
constexpr std::array<std::string_view, 3> kSweepAxisNames = {"load", "bytes", "nodes"};

struct SweepOptions {
  CampaignOptions lab;
  std::string axis;
  std::vector<double> loads = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  unsigned refine = 4;
  std::string arrivals = "bernoulli";
  Tick window = 0;
  Tick warm_up = 0;
  const CLI::App* verb = nullptr;
};

/// Sorts the cases by the curve to which they belong, and within a curve along the axis.
void sort_along(Axis axis, std::vector<CampaignCase>& cases) {
  std::vector<std::string> policies;  // in the given order
  for (const CampaignCase& one : cases)
    if (std::ranges::find(policies, one.policy_name) == policies.end())
      policies.push_back(one.policy_name);
  const auto place = [&](const CampaignCase& one) {
    const std::uint64_t along = axis == Axis::nodes ? one.shape.size() : one.bytes;
    std::string curve = axis == Axis::nodes ? fmt::format("{}", one.bytes) : one.shape.text();
    for (const auto& [name, value] : one.axes.items())
      if (name != "seed") curve += fmt::format(" {}", value.dump());
    return std::tuple(std::ranges::find(policies, one.policy_name), one.traffic_name, curve, along);
  };
  std::ranges::stable_sort(cases, std::less<>(), place);
}

/// The saturation of a curve as text.
std::string saturation_text(const Json& curve) {
  std::string text = "does not keep up with any offered load";
  if (!curve["accepted"].is_null())
    text = fmt::format("keeps up at offered {:.4f}, accepted {:.4f}",
                       curve["carried"].get<double>(), curve["accepted"].get<double>());
  if (!curve["saturated_at"].is_null())
    text += fmt::format(", saturated at {:.4f}", curve["saturated_at"].get<double>());
  return text;
}

std::string saturation_lines(const Json& curves, const RowTable& table) {
  std::string text;
  for (const Json& curve : curves)
    text += with_hanging_indent(
        fmt::format("{}: {}", table.case_text(curve), saturation_text(curve)), line_width(), 2);
  return text;
}

std::vector<FigureColumn> load_columns() {
  return {figure_column({"offered", 7}, "/offered", 4),
          figure_column({"accepted", 7}, "/accepted", 4),
          figure_column({"p50", 7, false, 1}, "/latency/p50"),
          figure_column({"p99", 7, false, 2}, "/latency/p99"),
          {{"", 9, true},
           [](const Json& row) { return row["saturated"].get<bool>() ? "saturated" : ""; }}};
}

std::vector<FigureColumn> axis_columns(const CampaignSettings& settings) {
  std::vector<FigureColumn> columns = {figure_column({"nodes", 6, false, 1}, "/nodes")};
  for (FigureColumn& column : time_columns(settings)) columns.push_back(std::move(column));
  if (settings.is_virtual())
    columns.push_back(figure_column({"% link", 5, false, 3}, "/percent_of_peak", 1));
  for (FigureColumn& column : latency_columns(settings, {1, 2}))
    columns.push_back(std::move(column));
  return columns;
}

CampaignSettings settings_of(const SweepOptions& options, Axis axis) {
  CampaignSettings settings =
      campaign_settings(options.lab.common, concerns_links(options.lab.lists, options.lab.common));
  settings.peers = options.lab.peers;
  if (options.lab.merged != nullptr) settings.processes = options.lab.merged->processes();
  settings.load = {parse_choice<ArrivalRule>("arrivals", kArrivalRuleNames, options.arrivals),
                   options.window, options.warm_up};
  if (axis != Axis::load) return settings;
  if (!settings.is_virtual())
    throw BadInput(
        "--axis load needs virtual time, which only --fabric sim has, and that in one process");
  settings.common.transfer = name_of(kTransferModeNames, TransferMode::packets);
  settings.run = moving_by(TransferMode::packets, std::move(settings.run));
  return settings;
}

/// Refuses loads that are named twice, and loads that all exceed 2: these are most likely meant in
/// percent.
void refuse_bad_loads(const std::vector<double>& loads) {
  constexpr double kPlausible = 2;
  const auto is_large = [](double load) { return load > kPlausible; };
  if (!loads.empty() && std::ranges::all_of(loads, is_large))
    throw BadInput(
        fmt::format("--load {0}: 1.0 is the hottest link's bound, so all loads are far above it; "
                    "for {0} percent write {1}",
                    loads.front(), loads.front() / 100));
  for (auto at = loads.begin(); at != loads.end(); ++at)
    if (std::find(loads.begin(), at, *at) != at)
      throw BadInput(fmt::format("--load names {} twice", *at));
}

/// The cases at the given loads, without the loads that refinement adds.
std::vector<CampaignCase> grid_of(std::span<const CampaignCase> cases,
                                  std::span<const double> loads) {
  std::vector<CampaignCase> grid;
  for (const CampaignCase& one : cases)
    for (const double load : loads) grid.emplace_back(one).load = load;
  return grid;
}

/// The settings of the open loop as JSON. null means that each case has its own default.
Json load_settings(const SweepOptions& options) {
  const auto chosen = [](Tick cycles) { return cycles == 0 ? Json() : Json(cycles); };
  return {{"refine", options.refine},
          {"arrivals", options.arrivals},
          {"window", chosen(options.window)},
          {"warm_up", chosen(options.warm_up)}};
}

CampaignResult sweep(const SweepOptions& options, Axis axis, std::span<const CampaignCase> cases,
                     const CampaignSettings& settings, FinishedRows* finished,
                     const RowSink& show) {
  CampaignResult result{.verb = "sweep", .axis = name_of(kSweepAxisNames, axis)};
  if (axis != Axis::load) {
    const CaseRows made = run_cases(cases, settings, finished, show);
    result.rows = made.finished();
    result.interrupted = made.interrupted();
    if (options.lab.lists.seeds.size() > 1 && options.lab.part.is_whole() && settings.reports())
      result.summary = summary_of(result.rows);
    return result;
  }
  result.settings = load_settings(options);
  LoadSweep swept = sweep_load(cases, options.loads, options.refine, settings, finished, show);
  result.rows = std::move(swept.rows);
  result.saturation = swept.saturation;
  result.interrupted = swept.interrupted;
  return result;
}

int sweep_cases(const SweepOptions& options, Axis axis, const CampaignSettings& settings) {
  refuse_bad_loads(options.loads);
  ScheduleFiles files;
  std::vector<CampaignCase> cases = make_cases(options.lab.lists, settings, files);
  if (axis == Axis::load && names_all(options.lab.lists))
    cases = cases_for_load(cases, settings.machine);
  sort_along(axis, cases);
  const std::vector<CampaignCase> mine = dealt(cases, options.lab.part);
  if (options.lab.merged == nullptr) refuse_unfit(cases, settings, axis == Axis::load);
  CampaignOutputs outputs(options.lab, "sweep", settings);

  const std::vector<CampaignCase> grid = axis == Axis::load ? grid_of(mine, options.loads) : mine;
  outputs.share_finished(grid, settings.run.processes);
  announce_cases(grid, settings, outputs.finished());
  const RowTable table(
      cases,
      chosen_columns(parse_choice<ColumnChoice>("columns", kColumnChoices, options.lab.columns),
                     axis == Axis::load ? load_columns() : axis_columns(settings), settings),
      settings);
  const auto sweep_and = [&](const RowSink& show) {
    return sweep(options, axis, mine, settings, outputs.finished(), show);
  };
  if (options.lab.merged == nullptr && !settings.is_virtual()) warn_of_shared_cores(grid, settings);
  if (options.lab.merged != nullptr) {
    options.lab.merged->expect(grid);
    (void)sweep_and({});  // refuses if a load that refinement adds is missing
  }
  RowSink show;
  if (outputs.shows_table()) {
    print_now(shard_line(options.lab, mine.size(), cases.size()) + table.head());
    show = [&](const Json& row) { print_now(table.line(row)); };
  }
  CampaignResult result = sweep_and(show);
  if (!settings.reports()) return end_silently(result.interrupted);
  result.axes = axes_of(cases);
  if (axis == Axis::load) result.axes["offered"] = options.loads;
  if (!options.lab.part.is_whole()) result.shard = options.lab.part.text();
  if (outputs.shows_table())
    print_now(saturation_lines(result.saturation, table) +
              summary_text(std::vector<Json>(result.summary.begin(), result.summary.end()), table) +
              table.remark());
  outputs.write(campaign_report(result, settings));
  return exit_code(result.rows);
}

int run(const SweepOptions& typed) {
  SweepOptions options = typed;
  take_shard(options.lab);
  for (double& load : options.loads) load = plain_number(load);
  const auto axis = parse_choice<Axis>("axis", kSweepAxisNames, options.axis);
  const CampaignSettings settings = settings_of(options, axis);
  if (!settings.reports()) keep_silent(options.lab);
  note_single_seed(options.lab.lists, settings.common);
  return settings.run.processes.run([&] { return sweep_cases(options, axis, settings); });
}

void add_sweep_options(CLI::App& verb, SweepOptions& options) {
  options.verb = &verb;
  begin_group(verb, "Axis");
  verb.add_option("--axis", options.axis, "what to vary")
      ->required()
      ->check(one_of("axis", kSweepAxisNames));
  add_number_list(
      verb, "--load", options.loads, {1e-6, 100},
      "offered loads, e.g. 0.2,0.4 or 0.1:1.0:0.1; 1.0 is the most that the hottest link "
      "can carry");
  verb.add_option("--refine", options.refine,
                  "steps of the bisection that finds the saturation load")
      ->transform(whole_number(0, 30))
      ->capture_default_str();
  verb.add_option("--arrivals", options.arrivals, "arrival process of messages at a node")
      ->check(one_of("arrivals", kArrivalRuleNames))
      ->capture_default_str();
  verb.add_option("--window", options.window, "cycles measured (default: chosen per case)")
      ->transform(whole_number(1, std::uint64_t{1} << 30));
  verb.add_option("--warm-up", options.warm_up, "cycles before measuring (default: window / 2)")
      ->transform(whole_number(1, std::uint64_t{1} << 30));
  add_campaign_options(verb, options.lab);
}

}  // namespace

int run_merged_sweep(MergedJournals& journals, const MergeOutputs& outputs) {
  SweepOptions options;
  CLI::App app;
  add_sweep_options(app, options);
  take_merged(app, options.lab, journals, outputs);
  return run(options);
}

CommandRun add_sweep_command(CLI::App& app) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* verb = app.add_subcommand("sweep", "vary load, message size or machine size");
  add_sweep_options(*verb, *options);
  add_examples(
      *verb,
      {{"up to which load an exchange keeps up",
        "toroid sweep --axis load --torus 4x4 --load 0.2:1.0:0.2 --policies random"},
       {"messages of growing size", "toroid sweep --axis bytes --torus 4x4 --bytes 240:4kB:x4"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
