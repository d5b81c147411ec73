// Summaries of a campaign's rows over several seeds and over two fabrics, with made-up rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tools/lab/campaign/summary.hpp"
#include "tools/text/json.hpp"

namespace toroid {
namespace {

Json row(const std::string& policy, double time_s, unsigned seed = 1,
         const std::string& traffic = "all-to-all") {
  return {{"policy", policy}, {"traffic", traffic}, {"torus", "4x4"},
          {"bytes", 240},     {"seed", seed},       {"time_s", time_s}};
}

/// Adds the runs of a policy with these times, one per seed.
void add_runs(std::vector<Json>& rows, const std::string& policy, const std::vector<double>& times,
              const std::string& traffic = "all-to-all") {
  for (unsigned i = 0; i < times.size(); ++i) rows.push_back(row(policy, times[i], i + 1, traffic));
}

/// Names of the policies marked as best.
std::vector<std::string> best_of(const std::vector<Json>& rows) {
  std::vector<std::string> names;
  for (const Json& one : summary_of(rows))
    if (one["best"] == true) names.push_back(one["policy"]);
  return names;
}
using Names = std::vector<std::string>;

TEST(CampaignSummary, HasMeanAndSampleDeviationOfTheSeeds) {
  std::vector<Json> rows;
  add_runs(rows, "random", {2, 4, 4, 4, 5, 5, 7, 9});
  add_runs(rows, "rank", {3});
  const std::vector<Json> summary = summary_of(rows);
  ASSERT_EQ(summary.size(), 2u);
  EXPECT_EQ(summary[0]["runs"], 8u);
  EXPECT_DOUBLE_EQ(summary[0]["time_s"], 5);
  EXPECT_DOUBLE_EQ(summary[0]["spread_s"], std::sqrt(32.0 / 7));
  EXPECT_EQ(summary[1]["runs"], 1u);
  EXPECT_EQ(summary[1]["spread_s"], 0);
  EXPECT_FALSE(summary[0].contains("seed"));
}

TEST(CampaignSummary, FastestPoliciesWithEqualTimesAreListedTogether) {
  std::vector<Json> rows;
  add_runs(rows, "random", {4, 6}, "all-to-all");
  add_runs(rows, "rank", {8, 9}, "all-to-all");
  add_runs(rows, "mine.toml", {4, 6}, "all-to-all");
  add_runs(rows, "rank", {3}, "halo");
  add_runs(rows, "random", {5}, "halo");
  add_runs(rows, "random", {1}, "alone");
  EXPECT_EQ(best_of(rows), Names{"rank"});
  Names fastest;
  for (const Json& one : fastest_of(summary_of(rows))) fastest.push_back(one["policy"]);
  EXPECT_EQ(fastest, (Names{"random, mine.toml", "rank"}));
}

TEST(CampaignSummary, NamesABestPolicyOnlyIfItsLeadExceedsTheSumOfBothSpreads) {
  std::vector<Json> rows;
  add_runs(rows, "random", {9, 11});  // 10 +- 1.41
  add_runs(rows, "rank", {12, 14});   // 13 +- 1.41: 3 slower, more than 2.83
  EXPECT_EQ(best_of(rows), Names{"random"});
  add_runs(rows, "shift", {11, 13.5});  // 12.25 +- 1.77: 2.25 slower, less than 3.18
  EXPECT_EQ(best_of(rows), Names());
}

TEST(CampaignSummary, NamesNoBestAmongEquals) {
  EXPECT_EQ(best_of({row("random", 1), row("rank", 1), row("shift", 2)}), Names());
  EXPECT_EQ(best_of({row("random", 1), row("rank", 1.0001)}), Names{"random"});
  std::vector<Json> exactly_beyond;
  add_runs(exactly_beyond, "random", {1, 1});
  add_runs(exactly_beyond, "rank", {1, 1});
  EXPECT_EQ(best_of(exactly_beyond), Names());
}

TEST(CampaignSummary, NamesNoBestIfACaseHasOnlyOnePolicy) {
  std::vector<Json> rows;
  add_runs(rows, "random", {1, 2, 3});
  EXPECT_EQ(best_of(rows), Names());
  add_runs(rows, "rank", {100}, "neighbour");
  EXPECT_EQ(best_of(rows), Names());
}

TEST(CampaignSummary, SummarisesEachCaseSeparately) {
  Json other_machine = row("random", 7);
  other_machine["machine"] = "bgp";
  Json longer_queue = row("random", 8);
  longer_queue["output_queues"] = 3;
  const std::vector<Json> summary =
      summary_of(std::vector<Json>{row("random", 1), row("random", 3, 2), other_machine,
                                   longer_queue, row("random", 9, 1, "neighbour")});
  ASSERT_EQ(summary.size(), 4u);
  EXPECT_EQ(summary[0]["time_s"], 2);
  EXPECT_EQ(summary[1]["machine"], "bgp");
  EXPECT_EQ(summary[2]["output_queues"], 3);
  EXPECT_EQ(summary[3]["traffic"], "neighbour");
}

TEST(CampaignSummary, LeavesFailedRunsOutOfTheMean) {
  Json failed = row("random", 0, 2);
  failed.erase("time_s");
  failed["error"] = "a deadlock";
  const std::vector<Json> summary = summary_of(std::vector<Json>{row("random", 4), failed});
  ASSERT_EQ(summary.size(), 1u);
  EXPECT_EQ(summary[0]["runs"], 1u);
  EXPECT_EQ(summary[0]["time_s"], 4);
}

Json failed_row(const std::string& policy, unsigned seed, const std::string& error) {
  Json failed = row(policy, 0, seed);
  failed.erase("time_s");
  failed["error"] = error;
  failed["wall_s"] = seed + 0.5;
  return failed;
}

TEST(CampaignSummary, ListsEachFailureOfACaseOnce) {
  const std::vector<Json> rows = {
      failed_row("random", 1, "a deadlock"), row("rank", 2), failed_row("random", 1, "a deadlock"),
      failed_row("random", 1, "no memory"), failed_row("random", 2, "a deadlock")};
  const std::vector<Json> failed = failures_of(rows);
  ASSERT_EQ(failed.size(), 3u);
  EXPECT_EQ(failed[1]["error"], "no memory");
  EXPECT_EQ(failed[2]["seed"], 2);
  EXPECT_FALSE(failed[0].contains("wall_s"));
}

TEST(CampaignSummary, DropsAllRowsOfACaseInWhichARunFailed) {
  const std::vector<Json> rows = {row("random", 1), failed_row("random", 1, "a deadlock"),
                                  row("random", 1, 2), row("rank", 3)};
  EXPECT_EQ(without_failed(rows), (std::vector<Json>{row("random", 1, 2), row("rank", 3)}));
}

/// Agreement of two fabrics on policies p0, p1, ... with these times.
Json agreement_of_times(const std::vector<double>& here, const std::vector<double>& there) {
  std::vector<Json> a, b;
  for (std::size_t i = 0; i < here.size(); ++i) a.push_back(row("p" + std::to_string(i), here[i]));
  for (std::size_t i = 0; i < there.size(); ++i)
    b.push_back(row("p" + std::to_string(i), there[i]));
  const std::vector<Json> all = agreement_of(summary_of(a), summary_of(b));
  EXPECT_EQ(all.size(), 1u);
  return all.front();
}

/// Rank correlation 1 - 6 Σd² / (n (n² - 1)); valid if no times are equal.
double spearman_without_ties(const std::vector<double>& a, const std::vector<double>& b) {
  const auto rank = [](const std::vector<double>& all, double one) {
    return static_cast<double>(std::ranges::count_if(all, [=](double t) { return t < one; }));
  };
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(rank(a, a[i]) - rank(b, b[i]), 2);
  const auto n = static_cast<double>(a.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

TEST(CampaignAgreement, MatchesTheFormulaIfAllTimesDiffer) {
  std::minstd_rand random(7);
  for (const std::size_t count : {2u, 3u, 5u, 20u})
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> here(count), there(count);
      std::iota(here.begin(), here.end(), 1);
      std::iota(there.begin(), there.end(), 100);
      std::ranges::shuffle(here, random);
      std::ranges::shuffle(there, random);
      const Json agreement = agreement_of_times(here, there);
      EXPECT_NEAR(agreement["rank_correlation"], spearman_without_ties(here, there), 1e-12);
      EXPECT_EQ(agreement["policies"], count);
    }
}

TEST(CampaignAgreement, IsOneForEqualAndMinusOneForOppositeOrders) {
  EXPECT_DOUBLE_EQ(agreement_of_times({1, 2, 3, 4}, {10, 20, 30, 31})["rank_correlation"], 1);
  EXPECT_DOUBLE_EQ(agreement_of_times({1, 2, 3, 4}, {9, 8, 7, 1})["rank_correlation"], -1);
}

/// The ranks are 1.5 1.5 3 4 and 1 2.5 2.5 4: covariance 3.75, variances 4.5 and 4.5.
TEST(CampaignAgreement, GivesEqualTimesTheirMeanRank) {
  EXPECT_NEAR(agreement_of_times({5, 5, 6, 7}, {1, 2, 2, 3})["rank_correlation"], 3.75 / 4.5,
              1e-12);
  // 2 2 2 4 and 1 2 3 4: covariance 3, variances 3 and 5.
  EXPECT_NEAR(agreement_of_times({5, 5, 5, 7}, {1, 2, 3, 4})["rank_correlation"],
              3 / std::sqrt(15.0), 1e-12);
}

TEST(CampaignAgreement, HasNoCorrelationForOnePolicyOrEqualTimes) {
  EXPECT_TRUE(agreement_of_times({1}, {1})["rank_correlation"].is_null());
  EXPECT_TRUE(agreement_of_times({1, 1, 1}, {1, 2, 3})["rank_correlation"].is_null());
  EXPECT_TRUE(agreement_of_times({1, 2, 3}, {4, 4, 4})["rank_correlation"].is_null());
}

TEST(CampaignAgreement, ComparesPoliciesThatRanOnBothFabrics) {
  const Json agreement = agreement_of_times({1, 2, 3, 4}, {3, 2, 1});
  EXPECT_EQ(agreement["policies"], 3u);
  EXPECT_DOUBLE_EQ(agreement["rank_correlation"], -1);
}

TEST(CampaignAgreement, NamesTheBestOfEachFabric) {
  const Json agreement = agreement_of_times({1, 2, 3}, {3, 2, 1});
  EXPECT_EQ(agreement["best"], "p0");
  EXPECT_EQ(agreement["best_there"], "p2");
  EXPECT_TRUE(agreement_of_times({1, 1, 3}, {3, 2, 1})["best"].is_null());
}

TEST(CampaignAgreement, HasAnEntryPerCase) {
  std::vector<Json> rows;
  for (const char* traffic : {"all-to-all", "fft:8"})
    for (const char* policy : {"random", "rank"}) rows.push_back(row(policy, 1, 1, traffic));
  const std::vector<Json> agreement = agreement_of(summary_of(rows), summary_of(rows));
  ASSERT_EQ(agreement.size(), 2u);
  EXPECT_EQ(agreement[0]["traffic"], "all-to-all");
  EXPECT_EQ(agreement[1]["traffic"], "fft:8");
  EXPECT_FALSE(agreement[0].contains("policy"));
}

}  // namespace
}  // namespace toroid
