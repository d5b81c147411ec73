#include "tools/lab/saturation.hpp"

#include <algorithm>
#include <map>

namespace toroid {
namespace {

struct Curve {
  LabCase base;
  std::map<double, Json> points;  ///< by load

  bool failed() const {
    return std::ranges::any_of(points, [](const auto& p) { return p.second.contains("error"); });
  }
  std::optional<double> saturated_at() const {
    for (const auto& [load, row] : points)
      if (row.value("saturated", false)) return load;
    return std::nullopt;
  }
  /// 0: none.
  double carried() const {
    double last = 0;
    for (const auto& [load, row] : points) {
      if (row.value("saturated", true)) break;
      last = load;
    }
    return last;
  }
  LabCase at(double load) const {
    LabCase one = base;
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

/// Runs one case of some of the curves and adds the rows to them.
void run(std::vector<Curve>& curves, const std::vector<std::pair<std::size_t, double>>& loads,
         const LabSettings& settings, Journal* journal) {
  std::vector<LabCase> cases;
  for (const auto& [curve, load] : loads) cases.push_back(curves[curve].at(load));
  std::vector<Json> rows = run_cases(cases, settings, journal);
  for (std::size_t i = 0; i < rows.size(); ++i)
    curves[loads[i].first].points[loads[i].second] = std::move(rows[i]);
}

void bisect(std::vector<Curve>& curves, const LabSettings& settings, Journal* journal) {
  std::vector<std::pair<std::size_t, double>> next;
  for (std::size_t c = 0; c < curves.size(); ++c)
    if (const auto end = curves[c].saturated_at(); end && !curves[c].failed())
      next.emplace_back(c, (curves[c].carried() + *end) / 2);
  run(curves, next, settings, journal);
}

}  // namespace

LoadSweep sweep_load(std::span<const LabCase> bases, std::vector<double> loads,
                     unsigned refinements, const LabSettings& settings, Journal* journal) {
  std::vector<Curve> curves;
  for (const LabCase& base : bases) curves.push_back({base, {}});
  std::ranges::sort(loads);
  std::vector<std::pair<std::size_t, double>> grid;
  for (std::size_t c = 0; c < curves.size(); ++c)
    for (const double load : loads) grid.emplace_back(c, load);
  run(curves, grid, settings, journal);
  for (unsigned i = 0; i < refinements; ++i) bisect(curves, settings, journal);

  LoadSweep sweep;
  for (const Curve& curve : curves) {
    for (const auto& [load, row] : curve.points) sweep.points.push_back(row);
    sweep.saturation.push_back(curve.saturation());
  }
  return sweep;
}

}  // namespace toroid
