// The table of a campaign, printed row by row as rows are finished.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/text/json.hpp"
#include "tools/text/table.hpp"

namespace toroid {

/// A column of figures and the function that makes a row's cell.
struct FigureColumn {
  TableColumn column;
  std::function<std::string(const Json& row)> cell;
};

/// The figure of a row at a JSON pointer such as "/latency/p50"; "-" if the row does not have it.
std::string figure_at(const Json& row, std::string_view place);
/// The figure with `digits` decimals.
std::string figure_at(const Json& row, std::string_view place, int digits);
/// The figure in seconds, with five significant digits.
std::string seconds_at(const Json& row, std::string_view place);

/// A column for the figure at a JSON pointer, with `digits` decimals; unrounded if `digits` is
/// empty.
FigureColumn figure_column(TableColumn column, std::string_view place,
                           std::optional<int> digits = {});

/// The columns of time, bound, what sets the bound, and percentage of the bound; in virtual time
/// also cycles.
std::vector<FigureColumn> time_columns(const CampaignSettings& settings);

/// The columns of the median and the 99th percentile of latency, in cycles or in seconds; empty if
/// latency is not measured. `spare`: TableColumn::spared of the two columns, which decides when a
/// narrow terminal hides them.
std::vector<FigureColumn> latency_columns(const CampaignSettings& settings,
                                          std::array<unsigned, 2> spare);

/// Which figures the table shows.
enum class ColumnChoice : std::uint8_t {
  usual,    ///< time, bound, links, waiting
  network,  ///< mean latency, mean hops, accepted rate, links, packet length
  all
};
inline constexpr std::array<std::string_view, 3> kColumnChoices = {"usual", "network", "all"};

/// Returns `usual`, the columns of ColumnChoice::network, or both.
std::vector<FigureColumn> chosen_columns(ColumnChoice choice, std::vector<FigureColumn> usual,
                                         const CampaignSettings& settings);

/// The columns of the profile:
/// - the percentages of the drain's turns that ended stuck, with all FIFOs full, and idle
/// - the mean number of stuck heads per stuck turn
/// - how often, per packet, fill found its queue full
/// `spare`: TableColumn::spared of the last column, which is hidden first; the columns before it
/// have lower values.
std::vector<FigureColumn> profile_columns(unsigned spare);

/// Formats the rows of a campaign. Its columns are fixed from the start, so a row can be printed
/// before the next one is finished.
class RowTable {
 public:
  /// The table is as wide as standard output. Values that all cases share are printed above it, not
  /// in columns.
  RowTable(std::span<const CampaignCase> cases, std::vector<FigureColumn> figures,
           const CampaignSettings& settings);

  /// The lines above the first row.
  std::string head() const;
  /// The row with its figures or its error.
  std::string line(const Json& row) const;
  /// The values that distinguish the row's case from others, e.g. "rank, tornado, 8x8x8".
  std::string case_text(const Json& row) const;
  std::string remark() const { return table_.remark(); }

 private:
  std::string title_;
  std::vector<std::string> names_;  ///< keys of the cases that have a column
  std::vector<FigureColumn> figures_;
  Table table_;
};

/// The distinct values of each key of the cases (policy, traffic, torus, bytes), in order of
/// appearance.
Json axes_of(std::span<const CampaignCase> cases);

}  // namespace toroid
