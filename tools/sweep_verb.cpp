// toroid sweep: one number runs from small to large: the load that is offered, the size of
// messages, the machine.
#include <algorithm>

#include "tools/choice.hpp"
#include "tools/lab/options.hpp"
#include "tools/lab/saturation.hpp"
#include "tools/lab/table.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

enum class Axis : std::uint8_t { load, bytes, nodes };
constexpr std::array<std::string_view, 3> kAxisNames = {"load", "bytes", "nodes"};

struct SweepOptions {
  LabOptions lab;
  std::string axis;
  std::vector<double> loads = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  unsigned refine = 4;
  std::string arrivals = "bernoulli";
  Tick window = 0;
  Tick warm_up = 0;
  const CLI::App* verb = nullptr;
};

/// By curve, then along the axis.
void sort_along(Axis axis, std::vector<LabCase>& cases) {
  std::vector<std::string> policies;  // as given
  for (const LabCase& one : cases)
    if (std::ranges::find(policies, one.policy_name) == policies.end())
      policies.push_back(one.policy_name);
  const auto place = [&](const LabCase& one) {
    const std::uint64_t along = axis == Axis::nodes ? one.shape.size() : one.bytes;
    const std::string curve = axis == Axis::nodes ? fmt::format("{}", one.bytes) : one.shape.text();
    return std::tuple(std::ranges::find(policies, one.policy_name), one.traffic_name, curve, along);
  };
  std::ranges::stable_sort(cases, std::less<>(), place);
}

std::vector<std::string> case_names(const Json& row) {
  return {row["policy"].get<std::string>(), row["traffic"].get<std::string>(),
          row["torus"].get<std::string>(), row["bytes"].dump()};
}

/// Or the error, where there is one.
template <typename Numbers>
std::vector<std::string> sweep_cells(const Json& row, const Numbers& numbers) {
  std::vector<std::string> all = case_names(row);
  if (row.contains("error")) {
    all.push_back(row["error"].get<std::string>());
    return all;
  }
  for (const std::string& cell : numbers(row)) all.push_back(cell);
  return all;
}

/// What a curve comes to.
std::string saturation_text(const Json& curve) {
  std::string text = "keeps up at none of the loads offered";
  if (!curve["accepted"].is_null())
    text = fmt::format("keeps up at offered {:.4f}, accepted {:.4f}",
                       curve["carried"].get<double>(), curve["accepted"].get<double>());
  if (!curve["saturated_at"].is_null())
    text += fmt::format(", saturated at {:.4f}", curve["saturated_at"].get<double>());
  return text;
}

std::string load_table(const LoadSweep& sweep) {
  TextTable table({"policy", "traffic", "torus", "bytes", "offered", "accepted", "p50", "p99", ""},
                  3);
  const auto numbers = [](const Json& row) -> std::vector<std::string> {
    return {fixed_text(row["offered"], 4), fixed_text(row["accepted"], 4),
            row["latency_p50"].dump(), row["latency_p99"].dump(),
            row["saturated"].get<bool>() ? "saturated" : ""};
  };
  for (const Json& row : sweep.points) table.add(sweep_cells(row, numbers));
  std::string text = table.text();
  for (const Json& curve : sweep.saturation)
    text += fmt::format("{}: {}\n", fmt::join(case_names(curve), ", "), saturation_text(curve));
  return text;
}

std::string axis_table(std::span<const Json> rows) {
  TextTable table({"policy", "traffic", "torus", "bytes", "nodes", "time, s", "cycles", "bound",
                   "% of peak", "p50", "p99"},
                  3);
  const auto numbers = [](const Json& row) -> std::vector<std::string> {
    return {row["nodes"].dump(),
            fmt::format("{:.4e}", row["time_s"].get<double>()),
            row["cycles"].dump(),
            row["bound_cycles"].dump(),
            fixed_text(row["percent_of_peak"], 1),
            figure_text(row["latency"]["p50"]),
            figure_text(row["latency"]["p99"])};
  };
  for (const Json& row : rows) table.add(sweep_cells(row, numbers));
  return table.text();
}

LabSettings settings_of(const SweepOptions& options, Axis axis) {
  LabSettings settings = lab_settings(options.lab.common);
  settings.peers = options.lab.peers;
  settings.load = {parse_choice<ArrivalRule>("arrivals", kArrivalRuleNames, options.arrivals),
                   options.window, options.warm_up};
  if (axis != Axis::load) return settings;
  if (!settings.is_virtual())
    throw BadInput(fmt::format("--axis load needs virtual time: --fabric sim, not {}",
                               options.lab.common.fabric));
  if (settings.peers != 0) throw BadInput("--peers is not for --axis load");
  return settings;
}

void refuse_bad_loads(const std::vector<double>& loads) {
  for (auto at = loads.begin(); at != loads.end(); ++at)
    if (std::find(loads.begin(), at, *at) != at)
      throw BadInput(fmt::format("--load names {} twice", *at));
}

void refuse_load_options(const SweepOptions& options) {
  for (const char* option : {"--load", "--refine", "--arrivals", "--window", "--warm-up"})
    if (options.verb->count(option) > 0)
      throw BadInput(fmt::format("{} is for --axis load, not {}", option, options.axis));
}

struct Swept {
  std::vector<Json> points;
  std::string table;
};

Swept sweep(const SweepOptions& options, Axis axis, std::vector<LabCase>& cases,
            const LabSettings& settings, Journal* journal, Json& report) {
  if (axis != Axis::load) {
    const std::vector<Json> rows = run_cases(cases, settings, journal);
    return {rows, axis_table(rows)};
  }
  const LoadSweep swept = sweep_load(cases, options.loads, options.refine, settings, journal);
  report["saturation"] = swept.saturation;
  return {swept.points, load_table(swept)};
}

int run(const SweepOptions& options) {
  const auto axis = parse_choice<Axis>("axis", kAxisNames, options.axis);
  const LabSettings settings = settings_of(options, axis);
  refuse_bad_loads(options.loads);
  if (axis != Axis::load) refuse_load_options(options);
  std::vector<LabCase> cases = make_cases(options.lab.lists, options.lab.common.seed);
  if (axis == Axis::load && names_all(options.lab.lists))
    cases = cases_for_load(cases, settings.machine);
  sort_along(axis, cases);
  refuse_unfit(cases, settings, axis == Axis::load);
  LabOutputs outputs(options.lab, "sweep", settings);

  Json report = lab_head("sweep", settings);
  report["axis"] = options.axis;
  const Swept swept = sweep(options, axis, cases, settings, outputs.journal(), report);
  report["points"] = swept.points;
  report["result_hash"] = rows_hash(swept.points);
  if (outputs.shows_table())
    fmt::print("machine {}, seed {}, fabric {}; latencies in cycles\n{}", settings.machine.name,
               options.lab.common.seed, options.lab.common.fabric, swept.table);
  outputs.write(report, swept.points);
  return exit_code(swept.points);
}

}  // namespace

Verb add_sweep_verb(CLI::App& app) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* verb = app.add_subcommand("sweep", "from small to large: load, message size, machine");
  options->verb = verb;
  verb->add_option("--axis", options->axis, fmt::format("{}", fmt::join(kAxisNames, "|")))
      ->required();
  verb->add_option("--load", options->loads, "offered, of the hottest link's bound's rate")
      ->delimiter(',')
      ->check(number(1e-6, 100))
      ->capture_default_str();
  verb->add_option("--refine", options->refine, "halvings in search of the saturation load")
      ->transform(whole_number(0, 30))
      ->capture_default_str();
  verb->add_option("--arrivals", options->arrivals,
                   fmt::format("{}", fmt::join(kArrivalRuleNames, "|")))
      ->capture_default_str();
  verb->add_option("--window", options->window, "cycles measured; else as the case suggests")
      ->transform(whole_number(1, std::uint64_t{1} << 30));
  verb->add_option("--warm-up", options->warm_up, "cycles before; else half the window")
      ->transform(whole_number(1, std::uint64_t{1} << 30));
  add_lab_options(*verb, options->lab);
  return [options] { return run(*options); };
}

}  // namespace toroid
