// Rows of published numbers beside ours, and their text, JSON and CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "tools/lab/paper/curves.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The range of ours / theirs, both ends included, in which a row holds.
struct RatioBar {
  double least = 0;
  double most = 0;
  bool holds(double ratio) const { return least <= ratio && ratio <= most; }
};
struct PaperRow {
  std::string section;  ///< its name in --rows
  std::string what;
  std::string source;  ///< table, figure or sentence
  std::string unit;    ///< "s", "%", "ratio", ...
  std::optional<double> seed{};
  std::optional<double> ours{};   ///< none where --quick has left it out
  std::optional<double> bound{};  ///< which no schedule beats, in the same unit
  std::string bound_by{};         ///< what sets the bound; empty where there is none
  std::optional<RatioBar> bar{};
  std::string note{};

  /// Ours / theirs where both are known.
  std::optional<double> ratio() const;
  /// The percentage of the bound where both are known: 100 bound / ours for a time, else 100 ours /
  /// bound.
  std::optional<double> percent_of_bound() const;
  /// Whether the ratio is outside the bar; false where either is missing.
  bool misses_bar() const;
};

// The lines of these texts have at most `width` characters.

/// The names of the columns.
std::string rows_head(std::size_t width);
/// The name of each section, then its rows. Source and remark stand beside the figures or, where
/// there is no room, below them; a source is not repeated in the next row.
std::string rows_table(const std::vector<PaperRow>& rows, std::size_t width);

// A value that is not known is null.
Json rows_json(const std::vector<PaperRow>& rows);
Json curves_json(const std::vector<CurvePoint>& points);
// Columns:
// section,what,unit,seed,ours,ratio,bound,bound_by,percent_of_bound,least,most,source,note. A value
// that is not known is empty. Points of curves are rows of times.
std::string rows_csv(const std::vector<PaperRow>& rows);
std::string curves_csv(const std::vector<CurvePoint>& points);

/// The numbers that were fitted according to the machine's file, by key.
Json fitted_numbers(const Machine& machine);

}  // namespace toroid
