// The table of a campaign, printed row by row as its rows are finished.
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
#include "tools/lab/campaign/settings.hpp"
#include "tools/text/json.hpp"
#include "tools/text/table.hpp"

namespace toroid {

/// A column of figures and how a row's cell is made.
struct FigureColumn {
  TableColumn column;
  std::function<std::string(const Json& row)> cell;
};

/// The figure of a row at a JSON pointer such as "/latency/p50"; "-" where it was not counted.
std::string figure_at(const Json& row, std::string_view place);
/// The same with so many decimals.
std::string figure_at(const Json& row, std::string_view place, int digits);
/// The same in seconds, with five significant digits.
std::string seconds_at(const Json& row, std::string_view place);

/// The column of a figure at a JSON pointer, with so many decimals or as it is.
FigureColumn figure_column(TableColumn column, std::string_view place,
                           std::optional<int> digits = {});

/// The columns of time, bound, what binds and the percentage of the bound; in cycles too where time
/// is virtual.
std::vector<FigureColumn> time_columns(const CampaignSettings& settings);

/// The columns of the median and the 99 % quantile of latency, in cycles or in seconds; empty where
/// they are not measured. `spare`: when each is left out for want of room, as TableColumn counts.
std::vector<FigureColumn> latency_columns(const CampaignSettings& settings,
                                          std::array<unsigned, 2> spare);

/// The figures of the table that are asked for.
enum class ColumnChoice : std::uint8_t {
  usual,    ///< time, bound, links, waiting
  network,  ///< mean latency, mean hops, accepted rate, links, packet length
  all
};
inline constexpr std::array<std::string_view, 3> kColumnChoices = {"usual", "network", "all"};

/// `usual`, the columns of ColumnChoice::network, or both.
std::vector<FigureColumn> chosen_columns(ColumnChoice choice, std::vector<FigureColumn> usual,
                                         const CampaignSettings& settings);

/// The columns of the profile: how many per cent of the drain's turns ended idle, with all FIFOs
/// full, and stuck; how many heads were stuck then on average; and how often fill found its queue
/// full, per packet. The first is left out for want of room before the others, `spare` first.
std::vector<FigureColumn> profile_columns(unsigned spare);

/// Formats the rows of a campaign. The columns are fixed when it is made: a row may be printed
/// before the next one is finished.
class RowTable {
 public:
  /// The table is as wide as standard output. What all cases have in common stands above it instead
  /// of in columns.
  RowTable(std::span<const CampaignCase> cases, std::vector<FigureColumn> figures,
           const CampaignSettings& settings);

  /// The lines above the first row.
  std::string head() const;
  /// The row's figures, or its error.
  std::string line(const Json& row) const;
  /// The values that tell the row's case from the others: "rank, tornado, 8x8x8".
  std::string case_text(const Json& row) const;
  std::string remark() const { return table_.remark(); }

 private:
  std::string title_;
  std::vector<std::string> names_;  ///< keys of cases that have a column
  std::vector<FigureColumn> figures_;
  Table table_;
};

/// The values of each key of the cases (policy, traffic, torus, bytes), in the order in which they
/// come.
Json axes_of(std::span<const CampaignCase> cases);

}  // namespace toroid
