// One line of the table: what a published text says beside what comes out here.
#pragma once

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
  std::optional<RatioBar> bar{};
  std::string note{};

  /// Ours / theirs, where both are known.
  std::optional<double> ratio() const;
  /// Whether the bar is missed; false where there is none, or nothing to hold against it.
  bool misses_bar() const;
};

std::string rows_table(const std::vector<PaperRow>& rows);

}  // namespace toroid
