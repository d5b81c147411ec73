// Rows that compare published numbers with toroid's, and their text, JSON and CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "tools/lab/paper/volumetric_figures.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The range in which the ratio ours / published is accepted, including both ends.
struct RatioBar {
  double least = 0;
  double most = 0;
  bool holds(double ratio) const { return least <= ratio && ratio <= most; }
};
struct PaperRow {
  std::string section;  ///< name of the section in --rows
  std::string what;
  std::string source;  ///< table, figure or sentence of the source
  std::string unit;    ///< "s", "%", "ratio", ...
  std::optional<double> seed{};
  std::optional<double> ours{};   ///< empty if --quick left the run out
  std::optional<double> bound{};  ///< no schedule can beat it; in the same unit
  std::string bound_by{};         ///< what sets the bound; empty without a bound
  std::optional<RatioBar> bar{};
  std::string note{};

  /// Ours / published if both are known.
  std::optional<double> ratio() const;
  /// The percentage of the bound, if ours and the bound are known: 100 bound / ours for a time,
  /// otherwise 100 ours / bound.
  std::optional<double> percent_of_bound() const;
  /// Whether the ratio is outside the bar; false if either is missing.
  bool misses_bar() const;
};

// Lines of these texts have at most `width` characters.

/// The line of column names.
std::string rows_head(std::size_t width);
/// For each section its name, then its rows. Source and remark are printed beside the figures or,
/// if the line is too narrow, below them. Below the figures, a source that equals that of the
/// previous row is left out.
std::string rows_table(const std::vector<PaperRow>& rows, std::size_t width);

// Unknown values are null.
Json rows_json(const std::vector<PaperRow>& rows);
Json curves_json(const std::vector<CurvePoint>& points);
// Columns:
// section,what,unit,seed,ours,ratio,bound,bound_by,percent_of_bound,least,most,source,note.
// Unknown values are empty. Each point of a curve is a row with its time.
std::string rows_csv(const std::vector<PaperRow>& rows);
std::string curves_csv(const std::vector<CurvePoint>& points);

/// The numbers that the machine's file declares as fitted, by key.
Json fitted_numbers(const Machine& machine);

}  // namespace toroid
