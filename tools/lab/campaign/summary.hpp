// Means and spreads of rows over several seeds, the best policy, and how well two fabrics agree on
// the order of policies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/lab/campaign/row_table.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// One entry per case but for its seed, in the order of the rows: the case's columns, `runs`,
/// `time_s` (mean), `spread_s` (sample standard deviation; 0 of one run), `best`: its mean is the
/// least of all policies' on the same case, and the next one's is larger by more than both spreads.
std::vector<Json> summary_of(std::span<const Json> rows);

/// How well two fabrics agree on the order of policies, per case: traffic, torus, ..., `policies`,
/// `rank_correlation` (Spearman's, equal times share a rank; null where there are fewer than two
/// policies or all times are equal), `best` and `best_there`. REQUIRES: both from the same cases.
std::vector<Json> agreement_of(std::span<const Json> summary, std::span<const Json> there);

/// The rows of runs that failed, each of its case and its reason once.
std::vector<Json> failures_of(std::span<const Json> rows);
/// The rows of cases of which no run failed.
std::vector<Json> without_failed(std::span<const Json> rows);

/// Lines for the terminal.
std::string summary_text(std::span<const Json> summary, const RowTable& table);
std::string agreement_text(std::span<const Json> agreement, const RowTable& table);

}  // namespace toroid
