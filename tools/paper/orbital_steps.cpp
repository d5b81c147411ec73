// Section `orbital`: the orbital paper's counts, 3P steps of computing and shifting, with b³ + b²
// or 2b³ numbers in each.
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
  TransformCase transform() const {
    return {fft::Method::orbital, fmt::format("{0}x{0}x{0}", p), b * p};
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

std::vector<PaperRow> orbital_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  for (const OrbitalCase& c : kOrbitalCases)
    for (PaperRow& row : orbital_rows_of(results, c)) rows.push_back(std::move(row));
  return rows;
}

std::vector<Simulation> orbital_simulations() {
  std::vector<Simulation> simulations;
  for (const OrbitalCase& c : kOrbitalCases)
    simulations.push_back(transform_simulation(c.transform(), false));
  return simulations;
}

}  // namespace

const PaperSection kOrbitalSection = {"orbital", orbital_simulations, orbital_rows};

}  // namespace toroid
