// Sections `table1` and `model`: Table 1 of the volumetric FFT paper, 512 nodes as a mesh and as a
// torus, measured with active packets and with MPI, and modelled.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstddef>
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

/// The quantities of the table, in its order.
enum Quantity : std::size_t { kMesh, kTorus, kRatio, kRest, kBandwidth, kRestPerWork, kPerPoint };
constexpr std::size_t kQuantities = 7;
struct QuantityName {
  std::string_view name;
  const char* unit;
};
constexpr std::array<QuantityName, kQuantities> kQuantityNames = {
    {{"mesh", "s"},
     {"torus", "s"},
     {"mesh / torus", "ratio"},
     {"T_non-bandwidth", "s"},
     {"T_bandwidth", "s"},
     {"T_non-bandwidth/[N^3 log2(N)]", "s"},
     {"T_bandwidth/N^3", "s"}}};

using PrintedCells = std::array<double, kQuantities>;
struct Table1Column {
  std::int64_t size;
  std::optional<PrintedCells> printed{};  ///< none: the table has a dash
};

/// One of the table's three parts, by array size.
struct Table1Part {
  std::string_view name;
  std::array<Table1Column, 3> columns;
  fft::Layer layer = fft::Layer::packets;
};
constexpr Table1Part kActivePackets = {
    "active packets",
    {{{32, PrintedCells{1.36e-4, 8.5e-5, 1.600, 3.40e-5, 5.10e-5, 2.08e-10, 1.56e-9}},
      {64, PrintedCells{5.94e-4, 3.56e-4, 1.669, 1.18e-4, 2.38e-4, 7.5e-11, 9.08e-10}},
      {128, PrintedCells{4.55e-3, 2.52e-3, 1.806, 4.90e-4, 2.03e-3, 3.34e-11, 9.68e-10}}}}};
constexpr Table1Part kMpi = {
    "MPI collective",
    {{{32},
      {64},
      {128, PrintedCells{5.01e-3, 3.17e-3, 1.578, 1.34e-3, 1.84e-3, 9.12e-11, 8.76e-10}}}},
    fft::Layer::message_passing};
constexpr Table1Part kModel = {
    "paper's model",
    {{{32, PrintedCells{4.66e-5, 2.47e-5, 1.889, 2.74e-6, 2.19e-5, 1.67e-11, 6.7e-10}},
      {64, PrintedCells{3.77e-4, 2.02e-4, 1.870, 2.63e-5, 1.76e-4, 1.67e-11, 6.7e-10}},
      {128, PrintedCells{3.05e-3, 1.65e-3, 1.851, 2.46e-4, 1.40e-3, 1.67e-11, 6.7e-10}}}}};
constexpr std::int64_t kLongSize = 128;  ///< takes seconds

using Seconds = std::optional<double>;

/// A time on the mesh and on the torus.
struct MeshAndTorus {
  Seconds mesh, torus;
};

using OwnCells = std::array<Seconds, kQuantities>;

/// The paper's split: bandwidth's share is what a mesh, with half the bandwidth, takes longer.
/// Without one of the two times there is only the other.
OwnCells cells_of(const MeshAndTorus& time, std::int64_t size) {
  if (!time.mesh || !time.torus) return {time.mesh, time.torus};
  const auto n = static_cast<double>(size);
  const double bandwidth = *time.mesh - *time.torus;
  const double rest = *time.torus - bandwidth;
  return {time.mesh,
          time.torus,
          *time.mesh / *time.torus,
          rest,
          bandwidth,
          rest / (n * n * n * std::log2(n)),
          bandwidth / (n * n * n)};
}

TransformCase on_512_nodes(std::int64_t size, bool is_mesh,
                           fft::Layer layer = fft::Layer::packets) {
  return {fft::Method::volumetric, is_mesh ? "8mx8mx8m" : "8x8x8", size, layer};
}

/// A figure of both runs of a part and size.
MeshAndTorus seconds_on_512(const PaperResults& results, const PaperSetting& setting,
                            const Table1Part& part, std::int64_t size, const std::string& prefix,
                            const char* figure) {
  const auto get = [&](bool is_mesh) {
    return seconds_of(results, prefix + on_512_nodes(size, is_mesh, part.layer).key(), figure,
                      setting);
  };
  return {get(true), get(false)};
}

constexpr const char* kMeasured = "table1";
constexpr const char* kModelled = "model";

PaperRow row_of(const char* section, const Table1Part& part, const Table1Column& column,
                std::size_t quantity, const OwnCells& ours) {
  const auto& [name, unit] = kQuantityNames[quantity];
  return {
      section, fmt::format("{}, {} {}^3", part.name, name, column.size),          "Table 1",
      unit,    column.printed ? Seconds((*column.printed)[quantity]) : Seconds(), ours[quantity]};
}

/// Calls add(column, quantity) for all rows of a part, in the table's order.
template <typename Add>
void for_each_cell(const Table1Part& part, const Add& add) {
  for (std::size_t quantity = 0; quantity < kQuantities; ++quantity)
    for (const Table1Column& column : part.columns) add(column, quantity);
}

/// The bounds of the two times, and the bars of those and their ratio.
void judge(PaperRow& row, std::size_t quantity, const MeshAndTorus& bound,
           const std::string& bound_by, fft::Layer layer) {
  if (quantity == kMesh) row.bound = bound.mesh;
  if (quantity == kTorus) row.bound = bound.torus;
  if (row.bound) row.bound_by = bound_by;
  if (quantity == kMesh || quantity == kTorus) row.bar = within(0.2);
  if (quantity == kRatio && layer == fft::Layer::packets) row.bar = within(0.1);
  if (quantity == kRest) row.note = "2 T_torus - T_mesh: a small difference of large numbers";
  if (!row.seed) row.bar.reset();
}

std::vector<PaperRow> measured_rows(const PaperResults& results, const PaperSetting& setting,
                                    const Table1Part& part) {
  std::vector<PaperRow> rows;
  for_each_cell(part, [&](const Table1Column& column, std::size_t quantity) {
    const auto get = [&](const char* figure) {
      return seconds_on_512(results, setting, part, column.size, "", figure);
    };
    const TransformCase run = on_512_nodes(column.size, quantity == kMesh, part.layer);
    rows.push_back(row_of(kMeasured, part, column, quantity, cells_of(get("cycles"), column.size)));
    judge(rows.back(), quantity, get("bound_cycles"), text_of(results, run.key(), "bound_by"),
          part.layer);
  });
  return rows;
}

std::vector<PaperRow> table1_rows(const PaperResults& results, const PaperSetting& setting) {
  std::vector<PaperRow> rows = measured_rows(results, setting, kActivePackets);
  const std::vector<PaperRow> mpi = measured_rows(results, setting, kMpi);
  rows.insert(rows.end(), mpi.begin(), mpi.end());
  return rows;
}

std::vector<PaperRow> model_rows(const PaperResults& results, const PaperSetting& setting) {
  constexpr double kDigits = 0.01;  // the table gives two or three
  std::vector<PaperRow> rows;
  for_each_cell(kModel, [&](const Table1Column& column, std::size_t quantity) {
    const MeshAndTorus ours =
        seconds_on_512(results, setting, kModel, column.size, "model of ", "paper_model_cycles");
    rows.push_back(row_of(kModelled, kModel, column, quantity, cells_of(ours, column.size)));
    rows.back().bar = within(kDigits);
  });
  return rows;
}

template <typename Make>
std::vector<Simulation> for_each_run(const Table1Part& part, const Make& make) {
  std::vector<Simulation> simulations;
  for (const Table1Column& column : part.columns)
    for (const bool is_mesh : {true, false})
      simulations.push_back(make(on_512_nodes(column.size, is_mesh, part.layer)));
  return simulations;
}

std::vector<Simulation> table1_simulations() {
  const auto make = [](const TransformCase& what) {
    return transform_simulation(what, what.size >= kLongSize);
  };
  std::vector<Simulation> simulations = for_each_run(kActivePackets, make);
  const std::vector<Simulation> mpi = for_each_run(kMpi, make);
  simulations.insert(simulations.end(), mpi.begin(), mpi.end());
  return simulations;
}

std::vector<Simulation> model_simulations() {
  return for_each_run(kModel, model_simulation);
}

}  // namespace

const PaperSection kTable1Section = {kMeasured, table1_simulations, table1_rows};
const PaperSection kModelSection = {kModelled, model_simulations, model_rows};

}  // namespace toroid
