// Means and spreads of rows over several seeds, the best policy, and the agreement of two fabrics
// on the order of policies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/lab/campaign/row_table.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// One entry per case without its seed, in the order of the rows: the case's columns, `runs`,
/// `time_s` (mean), `spread_s` (sample standard deviation; 0 for one run), and `best`: whether
/// every other policy on the same case has a larger mean, by more than the sum of both spreads.
std::vector<Json> summary_of(std::span<const Json> rows);

/// The entries of the fastest policies, one per case. If policies tie, which means that their means
/// and spreads are equal, `policy` lists them: "random, rank". A case in which no policy leads by
/// more than the spreads has no entry.
std::vector<Json> fastest_of(std::span<const Json> summary);

/// Agreement of two fabrics on the order of policies. One entry per case: traffic, torus, ...;
/// `policies`, the number of policies that both fabrics ran; `rank_correlation`, Spearman's, in
/// which equal times share a rank (null with fewer than two policies or if all times of a fabric
/// are equal); `best` and `best_there`, the best policy on each fabric (null if none is). REQUIRES:
/// `summary` and `there`, the summaries of the two fabrics, have the same cases.
std::vector<Json> agreement_of(std::span<const Json> summary, std::span<const Json> there);

/// The rows of failed runs, each combination of case and reason once.
std::vector<Json> failures_of(std::span<const Json> rows);
/// The rows of cases in which no run failed.
std::vector<Json> without_failed(std::span<const Json> rows);

/// The summary as lines for the terminal.
std::string summary_text(std::span<const Json> summary, const RowTable& table);
/// The mean time of each case on both fabrics, and the spread on shm. REQUIRES: as agreement_of().
std::string times_there_text(std::span<const Json> summary, std::span<const Json> there,
                             const RowTable& table);
std::string agreement_text(std::span<const Json> agreement, const RowTable& table);

}  // namespace toroid
