// Section `table1`: Table 1 of the volumetric FFT paper, 512 nodes as a mesh and as a torus,
// measured and modelled.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {
namespace {

/// Seconds per forward transform.
struct Table1Column {
  std::int64_t size;
  double mesh, torus;              ///< active packets
  double model_mesh, model_torus;  ///< the paper's estimate
};
constexpr std::array kTable1 = {Table1Column{32, 1.36e-4, 8.5e-5, 4.66e-5, 2.47e-5},
                                Table1Column{64, 5.94e-4, 3.56e-4, 3.77e-4, 2.02e-4},
                                Table1Column{128, 4.55e-3, 2.52e-3, 3.05e-3, 1.65e-3}};
constexpr std::int64_t kLongSize = 128;  ///< takes seconds

using Seconds = std::optional<double>;

/// A quantity on the mesh and on the torus.
struct MeshAndTorus {
  Seconds mesh, torus;

  Seconds ratio() const { return both() ? Seconds(*mesh / *torus) : Seconds(); }
  // The paper's split: bandwidth's share is what a mesh, with half the bandwidth, takes longer.
  Seconds bandwidth() const { return both() ? Seconds(*mesh - *torus) : Seconds(); }
  Seconds rest() const { return both() ? Seconds(2 * *torus - *mesh) : Seconds(); }

 private:
  bool both() const { return mesh && torus; }
};

TransformCase on_512_nodes(std::int64_t size, bool is_mesh) {
  return {fft::Method::volumetric, is_mesh ? "8mx8mx8m" : "8x8x8", size};
}

MeshAndTorus seconds_on_512(const PaperResults& results, const PaperSetting& setting,
                            std::int64_t size, const std::string& prefix, const char* figure) {
  const auto get = [&](bool is_mesh) {
    return seconds_of(results, prefix + on_512_nodes(size, is_mesh).key(), figure, setting);
  };
  return {get(true), get(false)};
}

std::string of_size(std::string_view what, std::int64_t size) {
  return fmt::format("{} {}^3", what, size);
}

constexpr const char* kMeasured = "table1";
constexpr const char* kSource = "Table 1";

/// The rows: six times, three ratios, and the split.
std::vector<PaperRow> table1_rows(const PaperResults& results, const PaperSetting& setting) {
  std::vector<PaperRow> times, ratios, split;
  for (const Table1Column& column : kTable1) {
    const MeshAndTorus seed{column.mesh, column.torus};
    const auto get = [&](const char* figure) {
      return seconds_on_512(results, setting, column.size, "", figure);
    };
    const MeshAndTorus ours = get("cycles");
    const MeshAndTorus bound = get("bound_cycles");
    const auto binds = [&](bool is_mesh) {
      return text_of(results, on_512_nodes(column.size, is_mesh).key(), "bound_by");
    };
    const auto row = [&](std::string_view what, const char* unit, Seconds theirs, Seconds mine) {
      return PaperRow{kMeasured, of_size(what, column.size), kSource, unit, theirs, mine};
    };
    times.push_back(row("active packets, mesh", "s", seed.mesh, ours.mesh));
    times.back().bound = bound.mesh;
    times.back().bound_by = binds(true);
    times.push_back(row("active packets, torus", "s", seed.torus, ours.torus));
    times.back().bound = bound.torus;
    times.back().bound_by = binds(false);
    ratios.push_back(row("mesh / torus", "ratio", seed.ratio(), ours.ratio()));
    split.push_back(row("T_bandwidth", "s", seed.bandwidth(), ours.bandwidth()));
    split.push_back(row("T_non-bandwidth", "s", seed.rest(), ours.rest()));
    split.back().note = "2 T_torus - T_mesh: a small difference of large numbers";
  }
  for (PaperRow& time : times) time.bar = within(0.2);
  for (PaperRow& ratio : ratios) ratio.bar = within(0.1);
  times.insert(times.end(), ratios.begin(), ratios.end());
  times.insert(times.end(), split.begin(), split.end());
  return times;
}

std::vector<PaperRow> model_rows(const PaperResults& results, const PaperSetting& setting) {
  constexpr double kDigits = 0.01;  // the table gives three
  std::vector<PaperRow> rows;
  for (const Table1Column& column : kTable1) {
    const MeshAndTorus seed{column.model_mesh, column.model_torus};
    const MeshAndTorus ours =
        seconds_on_512(results, setting, column.size, "model of ", "paper_model_cycles");
    const auto add = [&](std::string_view what, const char* unit, Seconds theirs, Seconds mine) {
      rows.push_back({"model", of_size(what, column.size), kSource, unit, theirs, mine});
      rows.back().bar = within(kDigits);
    };
    add("paper's model, mesh", "s", seed.mesh, ours.mesh);
    add("paper's model, torus", "s", seed.torus, ours.torus);
    add("paper's model, mesh / torus", "ratio", seed.ratio(), ours.ratio());
  }
  return rows;
}

template <typename Make>
std::vector<Simulation> for_each_of_table1(const Make& make) {
  std::vector<Simulation> simulations;
  for (const Table1Column& column : kTable1)
    for (const bool is_mesh : {true, false})
      simulations.push_back(make(on_512_nodes(column.size, is_mesh)));
  return simulations;
}

std::vector<Simulation> table1_simulations() {
  return for_each_of_table1(
      [](const TransformCase& what) { return transform_simulation(what, what.size >= kLongSize); });
}

std::vector<Simulation> model_simulations() {
  return for_each_of_table1(model_simulation);
}

}  // namespace

const PaperSection kTable1Section = {kMeasured, table1_simulations, table1_rows};
const PaperSection kModelSection = {"model", model_simulations, model_rows};

}  // namespace toroid
