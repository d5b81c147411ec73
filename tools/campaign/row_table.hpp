// The table of a campaign, printed row by row.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/campaign/case.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/campaign/table.hpp"
#include "tools/results/json.hpp"

namespace toroid {

/// A column of figures, and what a row has there.
struct FigureColumn {
  TableColumn column;
  std::function<std::string(const Json& row)> cell;
};

/// A figure of a row by its place, such as "/latency/p50"; "-" where nobody has counted it.
std::string figure_at(const Json& row, std::string_view place);
/// Likewise with so many decimals.
std::string figure_at(const Json& row, std::string_view place, int digits);
/// Likewise in seconds, with five significant digits.
std::string seconds_at(const Json& row, std::string_view place);

/// Of a figure by its place; with so many decimals, or as it is.
FigureColumn figure_column(TableColumn column, std::string_view place,
                           std::optional<int> digits = {});

/// Time and bound, what sets it and the percentage of it: in cycles too where time is virtual.
std::vector<FigureColumn> time_columns(const CampaignSettings& settings);

/// Median and 99 %, in cycles or in seconds; none where nobody has them. `spare`: which of them is
/// left out first where there is no room, as TableColumn counts.
std::vector<FigureColumn> latency_columns(const CampaignSettings& settings,
                                          std::array<unsigned, 2> spare);

class RowTable {
 public:
  /// As wide as standard output is. What all cases have in common stands above the table instead of
  /// in its columns.
  RowTable(std::span<const CampaignCase> cases, std::vector<FigureColumn> figures,
           const CampaignSettings& settings);

  /// The lines above the first row.
  std::string head() const;
  /// The row's figures, or its error.
  std::string line(const Json& row) const;
  /// What tells its case from the others, as one text: "rank, tornado, 8x8x8".
  std::string case_text(const Json& row) const;
  std::string remark() const { return table_.remark(); }

 private:
  std::string title_;
  std::vector<std::string> names_;  ///< of the case's keys that have a column
  std::vector<FigureColumn> figures_;
  Table table_;
};

/// The values that each key of the cases has, in the order in which they come: policy, traffic,
/// torus, bytes.
Json axes_of(std::span<const CampaignCase> cases);

}  // namespace toroid
