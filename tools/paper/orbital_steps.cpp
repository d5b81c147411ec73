// Section `orbital`: the orbital paper's counts, 3P steps of computing and shifting, with b³ + b²
// or 2b³ numbers in each; its rivals, the same products by broadcasts; and a batch in pipeline.
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/plan/description.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"
#include "tools/results/json.hpp"

namespace toroid {
namespace {

struct OrbitalCase {
  unsigned p;      ///< nodes per side
  std::int64_t b;  ///< numbers per side of a node's block
  TransformCase transform(fft::OrbitalVariant variant = fft::OrbitalVariant::cra,
                          std::int64_t batch = 1) const {
    return {.method = fft::Method::orbital,
            .torus = fmt::format("{0}x{0}x{0}", p),
            .size = b * p,
            .variant = variant,
            .batch = batch};
  }
  std::string on_nodes(std::string_view what) const {
    return fmt::format("{}, P = {}, b = {}", what, p, b);
  }
};
constexpr std::array kOrbitalCases = {OrbitalCase{2, 8}, OrbitalCase{4, 4}, OrbitalCase{8, 4}};

PaperRow count_row(std::string what, const char* unit, double seed) {
  PaperRow row{"orbital", std::move(what), "section 4", unit, seed};
  row.bar = within(0);
  return row;
}

std::vector<PaperRow> orbital_rows_of(const PaperResults& results, const OrbitalCase& c) {
  const auto b = static_cast<double>(c.b);
  std::vector<PaperRow> rows;
  rows.push_back(count_row(c.on_nodes("steps"), "steps", 3.0 * c.p));
  rows.push_back(count_row(c.on_nodes("numbers moved, stage I"), "a step", b * b * b + b * b));
  rows.push_back(count_row(c.on_nodes("numbers moved, stage II"), "a step", 2 * b * b * b));
  rows.push_back(count_row(c.on_nodes("numbers moved, stage III"), "a step", 2 * b * b * b));
  const Json* figures = figures_in(results, c.transform().key());
  if (figures == nullptr) return rows;
  const Json& moved = figures->at("numbers_per_step");
  rows[0].ours = static_cast<double>(moved.size());
  for (std::size_t stage = 0; stage < 3; ++stage)
    rows[1 + stage].ours = moved.at(stage * c.p).get<double>();
  return rows;
}

/// Arrays of the batch whose pipeline is measured.
constexpr std::int64_t kBatchOfCase = 4;

struct Rival {
  fft::OrbitalVariant variant;
  const char* name;
  const char* note;
};
constexpr std::array kRivals = {Rival{fft::OrbitalVariant::cra, "rolling all", "CRA"},
                                Rival{fft::OrbitalVariant::bcr, "broadcast and roll", "BCR, Fox's"},
                                Rival{fft::OrbitalVariant::bbc, "broadcasts", "BBC, SUMMA"}};

/// Nobody has published these.
std::vector<PaperRow> time_rows_of(const PaperResults& results, const OrbitalCase& c,
                                   const PaperSetting& setting) {
  std::vector<PaperRow> rows;
  for (const Rival& rival : kRivals) {
    PaperRow row{"orbital", c.on_nodes(rival.name), "section 3.1", "s"};
    const std::string key = c.transform(rival.variant).key();
    row.ours = seconds_of(results, key, "cycles", setting);
    row.bound = seconds_of(results, key, "bound_cycles", setting);
    row.bound_by = text_of(results, key, "bound_by");
    row.note = rival.note;
    rows.push_back(std::move(row));
  }
  PaperRow row{"orbital", c.on_nodes("4 arrays"), "section 4", "of 4 x 1"};
  const auto one = figure_of(results, c.transform().key(), "cycles");
  const auto all =
      figure_of(results, c.transform(fft::OrbitalVariant::cra, kBatchOfCase).key(), "cycles");
  if (one && all) row.ours = *all / (kBatchOfCase * *one);
  row.note = "in pipeline";
  rows.push_back(std::move(row));
  return rows;
}

std::vector<PaperRow> orbital_rows(const PaperResults& results, const PaperSetting& setting) {
  std::vector<PaperRow> rows;
  for (const OrbitalCase& c : kOrbitalCases) {
    for (PaperRow& row : orbital_rows_of(results, c)) rows.push_back(std::move(row));
    for (PaperRow& row : time_rows_of(results, c, setting)) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Simulation> orbital_simulations() {
  std::vector<Simulation> simulations;
  for (const OrbitalCase& c : kOrbitalCases) {
    for (const Rival& rival : kRivals)
      simulations.push_back(transform_simulation(c.transform(rival.variant), false));
    simulations.push_back(
        transform_simulation(c.transform(fft::OrbitalVariant::cra, kBatchOfCase), false));
  }
  return simulations;
}

}  // namespace

const PaperSection kOrbitalSection = {"orbital", orbital_simulations, orbital_rows};

}  // namespace toroid
