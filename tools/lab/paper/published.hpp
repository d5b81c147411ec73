// Published numbers, and the runs that give toroid's own numbers: tables in files, one per source.
//
//   # the source, in full
//   section table1
//   run mesh32 = transform torus=8mx8mx8m size=32
//   what           | unit | published | ours          | bound  | bar        | source  | note
//   mesh, 32 cubed | s    | 1.36e-4   | mesh32.time_s | mesh32 | 0.8 to 1.2 | Table 1 |
//
// `published`, `ours` and the ends of the bar are expressions (expression.hpp) of numbers and of
// figures of runs, written RUN.FIGURE. "-" means unknown. In virtual time, `time_s`, `bound_s` and
// `paper_model_s` are the run's cycles converted to seconds. `bound` is a run with a bound, or a
// number followed by the name of what sets the bound. {machine} in a note is replaced by the name
// of the setting's machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/lab/paper/comparison_rows.hpp"
#include "tools/lab/paper/simulation.hpp"

namespace toroid {

/// One row of a table.
struct PublishedRow {
  std::string what, unit, published, ours, bound, bar, source, note;
};

class PaperSection {
 public:
  explicit PaperSection(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }  ///< as in --rows
  const std::vector<Simulation>& simulations() const { return simulations_; }
  std::vector<PaperRow> rows(const PaperResults& results, const PaperSetting& setting) const;

  /// Throws BadInput if the specification is not a run.
  void add_run(std::string_view name, std::string_view specification);
  /// Adds a run without a name, to which no row refers.
  void add_run(Simulation simulation) { simulations_.push_back(std::move(simulation)); }
  void add_row(PublishedRow row) { rows_.push_back(std::move(row)); }

 private:
  struct Run {
    std::string name, key;
  };
  const std::string& key_of(std::string_view run) const;
  std::optional<double> figure(std::string_view name, const PaperResults& results,
                               const PaperSetting& setting) const;
  void add_bound(PaperRow& row, std::string_view bound, const PaperResults& results,
                 const PaperSetting& setting) const;

  std::string name_;
  std::vector<Run> runs_;
  std::vector<Simulation> simulations_;
  std::vector<PublishedRow> rows_;
};

/// Parses the sections of a table's text. Throws BadInput with the line number.
std::vector<PaperSection> parse_published(std::string_view text);

/// All sections in the order of the printed table.
std::span<const PaperSection> paper_sections();
/// The section with that name. If there is none, throws BadInput, which lists the known names.
const PaperSection& paper_section(std::string_view name);

/// The texts of the files of published numbers, which are compiled in.
std::span<const std::string_view> published_texts();

/// A figure of a run, e.g. "blocking.waits"; empty if the run was left out or lacks the figure.
std::optional<double> figure_of(const PaperResults& results, const std::string& key,
                                std::string_view figure);
/// A figure given in cycles, converted to seconds.
std::optional<double> seconds_of(const PaperResults& results, const std::string& key,
                                 std::string_view figure, const PaperSetting& setting);
/// A text among the figures of a run; empty if there is none.
std::string text_of(const PaperResults& results, const std::string& key, const char* figure);

}  // namespace toroid
