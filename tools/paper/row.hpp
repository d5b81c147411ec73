// One line of the table: what a published text says beside what comes out here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace toroid {

/// What ours / theirs may be for the row to hold; both ends belong to it.
struct RatioBar {
  double least = 0;
  double most = 0;
  bool holds(double ratio) const { return least <= ratio && ratio <= most; }
};
constexpr RatioBar within(double part) {
  return {1 - part, 1 + part};
}

struct PaperRow {
  std::string section;  ///< as --rows names it
  std::string what;
  std::string source;  ///< table, figure or sentence
  std::string unit;    ///< "s", "%", "ratio", ...
  std::optional<double> seed{};
  std::optional<double> ours{};   ///< none: left out by --quick
  std::optional<double> bound{};  ///< that no schedule beats, in the same unit
  std::string bound_by{};         ///< what sets it; empty: there is none
  std::optional<RatioBar> bar{};
  std::string note{};

  /// Ours / theirs, where both are known.
  std::optional<double> ratio() const;
  /// What ours has of the bound, where both are known: of a time 100 bound / ours, else inversely.
  std::optional<double> percent_of_bound() const;
  /// Whether the bar is missed; false where there is none, or nothing to hold against it.
  bool misses_bar() const;
};

/// The columns' names. Lines here and below have at most `width` characters.
std::string rows_head(std::size_t width);
/// Each section's name, then its rows. Source and remark stand beside the figures or, where they
/// find no room there, below them; a source that is the one of the row before is not repeated.
std::string rows_table(const std::vector<PaperRow>& rows, std::size_t width);

}  // namespace toroid
