#include "tools/lab/campaign/saturation.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace toroid {
namespace {

struct Curve {
  CampaignCase base;
  std::map<double, Json> points;  ///< by load

  bool failed() const {
    return std::ranges::any_of(points, [](const auto& p) { return p.second.contains("error"); });
  }
  std::optional<double> saturated_at() const {
    for (const auto& [load, row] : points)
      if (row.value("saturated", false)) return load;
    return std::nullopt;
  }
  /// The highest unsaturated load below the first saturated one; 0 if there is none.
  double carried() const {
    double last = 0;
    for (const auto& [load, row] : points) {
      if (row.value("saturated", true)) break;
      last = load;
    }
    return last;
  }
  CampaignCase at(double load) const {
    CampaignCase one = base;
    one.load = load;
    return one;
  }
  Json saturation() const {
    Json json = base.json();
    json["carried"] = carried();
    const auto last = points.find(carried());
    json["accepted"] = last == points.end() ? Json() : last->second["accepted"];
    const auto end = saturated_at();
    json["saturated_at"] = end ? Json(*end) : Json();
    return json;
  }
};

/// Runs all curves in rounds. A round runs its loads of all curves before the next round begins.
class LoadRounds {
 public:
  LoadRounds(std::span<const CampaignCase> bases, const CampaignSettings& settings,
             FinishedRows* finished, const RowSink& show)
      : settings_(settings), finished_(finished), show_(show) {
    for (const CampaignCase& base : bases) curves_.push_back({base, {}});
  }

  void grid(const std::vector<double>& loads) {
    std::vector<Place> places;
    for (Curve& curve : curves_)
      for (const double load : loads) places.emplace_back(&curve, load);
    run(places);
  }
  void bisect() {
    std::vector<Place> places;
    for (Curve& curve : curves_)
      if (const auto end = curve.saturated_at(); end && !curve.failed())
        places.emplace_back(&curve, plain_number((curve.carried() + *end) / 2));
    run(places);
  }
  bool interrupted() const { return interrupted_; }

  LoadSweep result() const {
    LoadSweep sweep{.rows = {}, .saturation = {}, .interrupted = interrupted_};
    for (const Curve& curve : curves_) {
      for (const auto& [load, row] : curve.points) sweep.rows.push_back(row);
      if (!curve.points.empty()) sweep.saturation.push_back(curve.saturation());
    }
    return sweep;
  }

 private:
  using Place = std::pair<Curve*, double>;  ///< a curve at a load

  void run(const std::vector<Place>& places) {
    std::vector<CampaignCase> cases;
    for (const auto& [curve, load] : places) cases.push_back(curve->at(load));
    CaseRows made = run_cases(cases, settings_, finished_, show_);
    interrupted_ |= made.interrupted();
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!made.rows[i].is_null())
        places[i].first->points[places[i].second] = std::move(made.rows[i]);
  }

  const CampaignSettings& settings_;
  FinishedRows* finished_;
  const RowSink& show_;
  std::vector<Curve> curves_;
  bool interrupted_ = false;
};

}  // namespace

LoadSweep sweep_load(std::span<const CampaignCase> bases, std::vector<double> loads,
                     unsigned refinements, const CampaignSettings& settings, FinishedRows* finished,
                     const RowSink& show) {
  LoadRounds rounds(bases, settings, finished, show);
  std::ranges::sort(loads);
  rounds.grid(loads);
  for (unsigned i = 0; i < refinements && !rounds.interrupted(); ++i) rounds.bisect();
  return rounds.result();
}

}  // namespace toroid
