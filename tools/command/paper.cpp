// toroid paper: compares published numbers with ours, in one table.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/output_file.hpp"
#include "tools/lab/paper/comparison_rows.hpp"
#include "tools/lab/paper/published.hpp"
#include "tools/lab/paper/simulation.hpp"
#include "tools/lab/paper/volumetric_figures.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/report_output.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/json.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

struct PaperOptions {
  std::string machine = "bgl-fitted";
  std::vector<std::string> rows;  ///< names of sections; empty if all
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0 means one per core
  bool quick = false;
  bool quiet = false;
  std::string json;
  std::string csv;
  std::string report;
};

using Sections = std::vector<const PaperSection*>;

struct PaperTable {
  std::vector<PaperRow> rows;
  std::vector<CurvePoint> points;
  std::size_t runs = 0;
  std::size_t left_out = 0;  ///< runs that --quick skipped
  bool interrupted = false;  ///< whether rows are missing
};

Sections sections_of(const std::vector<std::string>& names) {
  Sections sections;
  if (names.empty())
    for (const PaperSection& section : paper_sections()) sections.push_back(&section);
  for (const std::string& name : names) sections.push_back(&paper_section(name));
  return sections;
}

/// The runs of all sections, each once. They are ordered by section, so that sections finish one
/// after the other. Within a section the long runs come first, since they would finish last.
std::vector<Simulation> simulations_of(const Sections& sections) {
  std::vector<Simulation> all;
  std::set<std::string> known;
  for (const PaperSection* section : sections) {
    std::vector<Simulation> own = section->simulations();
    std::ranges::stable_partition(own, &Simulation::is_long);
    for (Simulation& simulation : own)
      if (known.insert(simulation.key).second) all.push_back(std::move(simulation));
  }
  return all;
}

/// Prints each section as soon as all of its runs are finished.
class PaperPrinter {
 public:
  PaperPrinter(const Sections& sections, const PaperSetting& setting, bool leaves_out_long)
      : sections_(sections), setting_(setting), leaves_out_long_(leaves_out_long) {}

  void show(const PaperResults& results) {
    for (; next_ < sections_.size() && is_complete(*sections_[next_], results); ++next_)
      print_now(rows_table(sections_[next_]->rows(results, setting_), line_width()));
  }
  /// After an interruption, prints the finished rows of the sections that are not complete.
  void show_rest(const PaperResults& results);

  bool is_complete(const PaperSection& section, const PaperResults& results) const {
    return std::ranges::all_of(section.simulations(), [&](const Simulation& simulation) {
      return results.contains(simulation.key) || (leaves_out_long_ && simulation.is_long);
    });
  }
  /// The rows of a section. If not all of its runs are finished, only the rows that have our
  /// figure.
  std::vector<PaperRow> rows(const PaperSection& section, const PaperResults& results) const {
    std::vector<PaperRow> rows = section.rows(results, setting_);
    if (!is_complete(section, results))
      std::erase_if(rows, [](const PaperRow& row) { return !row.ours; });
    return rows;
  }

 private:
  const Sections& sections_;
  const PaperSetting& setting_;
  bool leaves_out_long_;
  std::size_t next_ = 0;  ///< next section to print
};

void PaperPrinter::show_rest(const PaperResults& results) {
  for (; next_ < sections_.size(); ++next_)
    print_now(rows_table(rows(*sections_[next_], results), line_width()));
}

void print_paper_head(const PaperSetting& setting) {
  std::string text = fmt::format("machine {}, seed {}\n", setting.machine.name, setting.seed);
  const Json fitted = fitted_numbers(setting.machine);
  for (const auto& [key, value] : fitted.items())
    text += fmt::format("  fitted: {} = {}\n", key, value.get<double>());
  print_now(text + rows_head(line_width()));
}

PaperTable make_table(const PaperOptions& options, const PaperSetting& setting, bool visible) {
  const Sections sections = sections_of(options.rows);
  std::vector<Simulation> simulations = simulations_of(sections);
  PaperTable table;
  if (options.quick) table.left_out = std::erase_if(simulations, &Simulation::is_long);
  announce(estimate_simulations(simulations, setting, options.threads), options.quiet);
  PaperPrinter printer(sections, setting, options.quick);
  SimulateOptions how{.at_once = options.threads, .quiet = options.quiet};
  if (visible) {
    print_paper_head(setting);
    how.show = [&](const PaperResults& results) { printer.show(results); };
  }
  const PaperResults results = simulate(simulations, setting, how);
  table.runs = results.size();
  table.interrupted = results.size() < simulations.size();
  if (visible) printer.show_rest(results);
  for (const PaperSection* section : sections) {
    for (PaperRow& row : printer.rows(*section, results)) table.rows.push_back(std::move(row));
    if (section->name() == kCurves) table.points = curve_points(results, setting);
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
  if (table.interrupted) report["interrupted"] = true;
  add_hash(report, {});
  return report;
}

void print_paper_end(const PaperTable& table, double wall_s) {
  std::string text = table.points.empty() ? "" : curves_table(table.points, line_width());
  text += fmt::format("{} runs in {:.1f} s\n", table.runs, wall_s);
  if (table.left_out > 0)
    text += with_hanging_indent(
        fmt::format("--quick skipped {} of {} runs: transforms on 1,024 or more nodes, transforms "
                    "of 128^3 on 256 or more, all-to-alls on 4,096 or more",
                    table.left_out, table.left_out + table.runs),
        line_width(), 2);
  print_now(text);
}

/// Throws RunFailed if rows are missing or bars are missed. Call it when everything is written.
void throw_if_missing_or_missed(const PaperTable& table) {
  if (table.interrupted)
    throw RunFailed(table.runs == 0 ? "interrupted"
                                    : fmt::format("interrupted; {} runs finished, {} rows kept",
                                                  table.runs, table.rows.size()));
  const std::vector<std::string> missed = missed_bars(table);
  if (!missed.empty())
    throw RunFailed(fmt::format("ratio outside its bar: {}", fmt::join(missed, "; ")));
}

int run_paper(const PaperOptions& options) {
  const PaperSetting setting{load_machine(options.machine), options.seed};
  (void)sections_of(options.rows);  // refuses names before anything is written
  refuse_one_file_for_two(
      std::array{options.json == "-" ? "" : options.json, options.csv, options.report});
  JsonOutput json(options.json);
  ReportOutput page(options.report, report_notice(options.quiet, json.to_standard_output()));
  const auto csv = options.csv.empty() ? nullptr : std::make_unique<OutputFile>(options.csv);
  const auto begin = std::chrono::steady_clock::now();
  const bool visible = !options.quiet && !json.to_standard_output();
  const PaperTable table = make_table(options, setting, visible);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  Json report = paper_report(options, setting, table);
  report["wall_s"] = wall.count();
  if (visible) print_paper_end(table, wall.count());
  if (table.interrupted && table.rows.empty()) throw_if_missing_or_missed(table);
  if (csv) {
    csv->stream() << rows_csv(table.rows) << curves_csv(table.points);
    csv->commit();
  }
  json.write(report);
  page.write(report);
  throw_if_missing_or_missed(table);
  return 0;
}

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const PaperSection& section : paper_sections()) names.push_back(section.name());
  return names;
}

}  // namespace

CommandRun add_paper_command(CLI::App& app) {
  auto options = std::make_shared<PaperOptions>();
  CLI::App* command = app.add_subcommand("paper", "compare published results with ours");
  begin_group(*command, "Run");
  add_name_list(*command, "--rows", options->rows, one_of_with_parameters("rows", section_names()),
                "comma-separated sections (default: all)")
      ->type_name("ROWS");
  command->add_flag("--quick", options->quick, "skip runs that take more than a few seconds");
  add_machine_option(*command, options->machine);
  add_seed_option(*command, options->seed);
  command->add_option("--threads", options->threads, "concurrent runs (default: one per core)")
      ->transform(whole_number(1, 1024));
  begin_group(*command, "Output");
  add_json_option(*command, options->json);
  add_file_option(*command, "--csv", options->csv,
                  "write rows and curves as comma-separated values");
  add_report_option(*command, options->report);
  command->add_flag("--quiet", options->quiet, "print neither table nor progress");
  add_examples(*command,
               {{"the patent's results compared with ours", "toroid paper --rows patent --quick"}});
  return [options] { return run_paper(*options); };
}

}  // namespace toroid
