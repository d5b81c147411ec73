#include "tools/lab/campaign/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/lab/campaign/case.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// The columns of a case except `left_out`.
Json columns_without(const Json& row, std::span<const std::string_view> left_out) {
  Json kept = Json::object();
  for (const char* key : kCaseKeys)
    if (row.contains(key) && std::ranges::find(left_out, key) == left_out.end())
      kept[key] = row[key];
  return kept;
}

Json without_seed(const Json& row) {
  constexpr std::string_view kSeed[] = {"seed"};
  return columns_without(row, kSeed);
}

Json without_policy(const Json& row) {
  constexpr std::string_view kPolicyAndSeed[] = {"policy", "seed"};
  return columns_without(row, kPolicyAndSeed);
}

/// Whether two policies have equal times on the same case.
bool ties(const Json& one, const Json& other) {
  return without_policy(one) == without_policy(other) && one["time_s"] == other["time_s"] &&
         one["spread_s"] == other["spread_s"];
}

/// Whether the mean of every other policy on the same case, except those that tie if
/// `may_tie`, is larger by more than the sum of both spreads. False without other policies.
bool is_best(const Json& one, std::span<const Json> all, bool may_tie = false) {
  bool has_rival = false;
  for (const Json& other : all) {
    if (other["policy"] == one["policy"] || without_policy(other) != without_policy(one)) continue;
    has_rival = true;
    if (may_tie && ties(one, other)) continue;
    const double lead = other["time_s"].get<double>() - one["time_s"].get<double>();
    const double spreads = other["spread_s"].get<double>() + one["spread_s"].get<double>();
    if (lead <= spreads) return false;
  }
  return has_rival;
}

/// Ranks from 1; equal times get the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& times) {
  std::vector<double> ranks;
  for (const double time : times) {
    const auto below = std::ranges::count_if(times, [&](double t) { return t < time; });
    const auto equal = std::ranges::count(times, time);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

/// Spearman's rho: Pearson's correlation of the ranks.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace

std::vector<Json> summary_of(std::span<const Json> rows) {
  std::vector<Json> all;
  std::vector<std::vector<double>> times;
  for (const Json& row : rows) {
    if (row.contains("error")) continue;
    const Json key = without_seed(row);
    const auto found = std::ranges::find(all, key);
    const auto at = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) {
      all.push_back(key);
      times.emplace_back();
    }
    times[at].push_back(row["time_s"].get<double>());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MeanAndDeviation spread = mean_and_deviation(times[i]);
    all[i].update(
        Json{{"runs", times[i].size()}, {"time_s", spread.mean}, {"spread_s", spread.deviation}});
  }
  std::vector<bool> best;
  for (const Json& one : all) best.push_back(is_best(one, all));
  for (std::size_t i = 0; i < all.size(); ++i) all[i]["best"] = static_cast<bool>(best[i]);
  return all;
}

std::vector<Json> fastest_of(std::span<const Json> summary) {
  std::vector<Json> fastest;
  for (const Json& one : summary) {
    if (!is_best(one, summary, true)) continue;
    const auto it = std::ranges::find_if(fastest, [&](const Json& all) { return ties(all, one); });
    if (it == fastest.end())
      fastest.push_back(one);
    else
      (*it)["policy"] = fmt::format("{}, {}", (*it)["policy"].get<std::string>(),
                                    one["policy"].get<std::string>());
  }
  return fastest;
}

std::vector<Json> agreement_of(std::span<const Json> summary, std::span<const Json> there) {
  std::vector<Json> all;
  for (const Json& one : summary) {
    const Json key = without_policy(one);
    const auto is_same = [&](const Json& other) { return without_policy(other) == key; };
    if (std::ranges::any_of(all, is_same)) continue;
    std::vector<double> here_times, there_times;
    Json& entry = all.emplace_back(key);
    entry["best"] = entry["best_there"] = nullptr;
    for (const Json& mine : summary) {
      if (without_policy(mine) != key) continue;
      const auto theirs = std::ranges::find_if(there, [&](const Json& other) {
        return without_policy(other) == key && other["policy"] == mine["policy"];
      });
      if (theirs == there.end()) continue;
      here_times.push_back(mine["time_s"]);
      there_times.push_back((*theirs)["time_s"]);
      if (mine["best"] == true) entry["best"] = mine["policy"];
      if ((*theirs)["best"] == true) entry["best_there"] = mine["policy"];
    }
    entry["policies"] = here_times.size();
    const auto rho = rank_correlation(here_times, there_times);
    entry["rank_correlation"] = rho ? Json(*rho) : Json(nullptr);
  }
  return all;
}

std::vector<Json> failures_of(std::span<const Json> rows) {
  std::vector<Json> failed;
  for (Json row : rows) {
    row.erase("wall_s");
    if (row.contains("error") && std::ranges::find(failed, row) == failed.end())
      failed.push_back(std::move(row));
  }
  return failed;
}

std::vector<Json> without_failed(std::span<const Json> rows) {
  std::vector<Json> failed;
  for (const Json& row : rows)
    if (row.contains("error")) failed.push_back(columns_without(row, {}));
  std::vector<Json> kept;
  for (const Json& row : rows)
    if (std::ranges::find(failed, columns_without(row, {})) == failed.end()) kept.push_back(row);
  return kept;
}

namespace {

/// The mean, and the standard deviation if there are several runs.
std::string time_text(const Json& one) {
  const std::string spread =
      one["runs"] == 1 ? "" : fmt::format(" +- {:.1e}", one["spread_s"].get<double>());
  return fmt::format("{:.4e}{} s", one["time_s"].get<double>(), spread);
}

std::string indented(const std::string& line) {
  return "  " + with_hanging_indent(line, line_width() - 2, 4);
}

}  // namespace

std::string summary_text(std::span<const Json> summary, const RowTable& table) {
  std::string text;
  for (const Json& one : summary)
    text += indented(fmt::format("{}: {}{}", table.case_text(one), time_text(one),
                                 one["best"] == true ? ", best" : ""));
  return text.empty() ? "" : "mean over the seeds, +- standard deviation:\n" + text;
}

std::string times_there_text(std::span<const Json> summary, std::span<const Json> there,
                             const RowTable& table) {
  std::string text;
  for (const Json& one : there) {
    const auto here = std::ranges::find_if(summary, [&](const Json& other) {
      return columns_without(other, {}) == columns_without(one, {});
    });
    if (here == summary.end()) continue;
    text += indented(fmt::format("{}: {} on sim, {} on shm", table.case_text(one), time_text(*here),
                                 time_text(one)));
  }
  return text.empty()
             ? ""
             : "times on sim and on shm --route torus, mean +- standard deviation:\n" + text;
}

std::string agreement_text(std::span<const Json> agreement, const RowTable& table) {
  std::string text;
  for (const Json& one : agreement) {
    const Json& rho = one["rank_correlation"];
    const std::string what = table.case_text(one);
    text += fmt::format("  {}: {} of {} policies\n",
                        what.empty() ? one["traffic"].get<std::string>() : what,
                        rho.is_null() ? "no rank correlation"
                                      : fmt::format("rank correlation {:.2f}", rho.get<double>()),
                        one["policies"].get<std::size_t>());
  }
  return text.empty() ? "" : "agreement of the policies' order with shm --route torus:\n" + text;
}

}  // namespace toroid
