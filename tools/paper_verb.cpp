// toroid paper: what the published texts say beside what comes out here, in one table.
#include <chrono>
#include <set>
#include <sstream>

#include "tools/choice.hpp"
#include "tools/paper/formats.hpp"
#include "tools/paper/simulate.hpp"
#include "tools/verbs.hpp"
#include "tools/version.hpp"

namespace toroid {
namespace {

struct PaperOptions {
  std::string machine = "bgl-fitted";
  std::string rows;  ///< names of sections with commas; empty: all
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: one per core
  bool quick = false;
  bool quiet = false;
  std::string json;
  std::string csv;
};

struct PaperTable {
  std::vector<PaperRow> rows;
  std::vector<CurvePoint> points;
  std::size_t runs = 0;
  std::size_t left_out = 0;  ///< runs, by --quick
};

std::vector<const PaperSection*> sections_of(const std::string& names) {
  std::vector<const PaperSection*> sections;
  if (names.empty())
    for (const PaperSection& section : paper_sections()) sections.push_back(&section);
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) sections.push_back(&paper_section(name));
  return sections;
}

/// Each once, the long ones first: they would keep everybody waiting at the end.
std::vector<Simulation> simulations_of(const std::vector<const PaperSection*>& sections) {
  std::vector<Simulation> simulations;
  std::set<std::string> known;
  for (const PaperSection* section : sections)
    for (Simulation& simulation : section->simulations())
      if (known.insert(simulation.key).second) simulations.push_back(std::move(simulation));
  std::ranges::stable_partition(simulations, &Simulation::is_long);
  return simulations;
}

PaperTable make_table(const PaperOptions& options, const PaperSetting& setting) {
  const auto sections = sections_of(options.rows);
  std::vector<Simulation> simulations = simulations_of(sections);
  PaperTable table;
  if (options.quick) table.left_out = std::erase_if(simulations, &Simulation::is_long);
  table.runs = simulations.size();
  const PaperResults results = simulate(simulations, setting, {options.threads, options.quiet});
  for (const PaperSection* section : sections) {
    for (PaperRow& row : section->rows(results, setting)) table.rows.push_back(std::move(row));
    if (section->name == kCurves) table.points = curve_points(results, setting);
  }
  return table;
}

std::vector<std::string> missed_bars(const PaperTable& table) {
  std::vector<std::string> missed;
  for (const PaperRow& row : table.rows)
    if (row.misses_bar()) missed.push_back(row.what);
  return missed;
}

Json paper_report(const PaperOptions& options, const PaperSetting& setting,
                  const PaperTable& table) {
  Json report = {{"verb", "paper"},
                 {"version", kVersion},
                 {"git_hash", kGitHash},
                 {"fabric", "sim"},
                 {"time_kind", "virtual"},
                 {"seed", setting.seed},
                 {"machine", setting.machine.name},
                 {"fitted", fitted_numbers(setting.machine)},
                 {"quick", options.quick},
                 {"rows", rows_json(table.rows)},
                 {"curves", curves_json(table.points)},
                 {"missed_bars", missed_bars(table)}};
  add_hash(report, {});
  return report;
}

void print_paper(const PaperOptions& options, const PaperSetting& setting, const PaperTable& table,
                 double wall_s) {
  fmt::print("machine {}, seed {}, {} runs in {:.1f} s\n", setting.machine.name, setting.seed,
             table.runs, wall_s);
  const Json fitted = fitted_numbers(setting.machine);
  for (const auto& [key, value] : fitted.items())
    fmt::print("  fitted: {} = {}\n", key, value.get<double>());
  fmt::print("{}", rows_table(table.rows));
  if (!table.points.empty()) fmt::print("{}", curves_table(table.points));
  if (options.quick)
    fmt::print(
        "--quick has left out {} of {} runs: transforms on 1,024 nodes and more, and of 128^3 on "
        "256 and more; all-to-alls on 4,096 and more\n",
        table.left_out, table.left_out + table.runs);
}

int run_paper(const PaperOptions& options) {
  const PaperSetting setting{load_machine(options.machine), options.seed};
  (void)sections_of(options.rows);  // refuses names before anything is written
  JsonOutput json(options.json);
  const auto csv = options.csv.empty() ? nullptr : std::make_unique<OutputFile>(options.csv);
  const auto begin = std::chrono::steady_clock::now();
  const PaperTable table = make_table(options, setting);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  Json report = paper_report(options, setting, table);
  report["wall_s"] = wall.count();
  if (!options.quiet && !json.to_standard_output())
    print_paper(options, setting, table, wall.count());
  if (csv) {
    csv->stream() << rows_csv(table.rows) << curves_csv(table.points);
    csv->commit();
  }
  json.write(report);
  const std::vector<std::string> missed = missed_bars(table);
  if (missed.empty()) return 0;
  throw RunFailed(fmt::format("not within its bar: {}", fmt::join(missed, "; ")));
}

std::string known_sections() {
  std::vector<std::string_view> names;
  for (const PaperSection& section : paper_sections()) names.push_back(section.name);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

Verb add_paper_verb(CLI::App& app) {
  auto options = std::make_shared<PaperOptions>();
  CLI::App* verb = app.add_subcommand("paper", "published results beside ours, in one table");
  verb->add_option("--rows", options->rows, "some of " + known_sections() + "; else all")
      ->check(not_empty());
  verb->add_flag("--quick", options->quick, "without the runs that take more than some seconds");
  verb->add_option("--machine", options->machine, "of all rows")->capture_default_str();
  verb->add_option("--seed", options->seed, "of every random choice")
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "runs at once; else one per core")
      ->transform(whole_number(1, 1024));
  verb->add_option("--json", options->json, "write the result as JSON, - for standard output")
      ->check(not_empty());
  verb->add_option("--csv", options->csv, "write rows and curves as CSV")->check(not_empty());
  verb->add_flag("--quiet", options->quiet, "no table, no progress");
  return [options] { return run_paper(*options); };
}

}  // namespace toroid
