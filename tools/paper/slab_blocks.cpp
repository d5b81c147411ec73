// Section `slab`: Tables 1 and 2 of the slab paper, the blocks of both versions and their ratio for
// the full transform and for the zero-padded one, and its model of the pipeline.
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"
#include "tools/results/json.hpp"

namespace toroid {
namespace {

/// A number of processes, which the paper had on a switched cluster, and the torus that they are
/// here.
struct SlabPartition {
  const char* torus;
  unsigned processes;
};
constexpr std::array kSlabPartitions = {SlabPartition{"2x2x1", 4}, SlabPartition{"2x2x2", 8},
                                        SlabPartition{"4x2x2", 16}};

/// Figures by partition.
using SlabFigures = std::array<double, kSlabPartitions.size()>;

/// One line of a table in both versions. Figures of 4 processes are seconds, the others speed-ups
/// over 4 processes; `ratio`: non-blocking / blocking.
struct SlabBlock {
  const char* name;  ///< the paper's
  const char* ours;  ///< of --timings; null: no virtual time
  SlabFigures blocking, non_blocking, ratio;
};
constexpr std::size_t kSlabBlocks = 7;

struct SlabTable {
  const char* source;
  const char* what;
  std::int64_t planes;
  double box_cut;
  std::array<SlabBlock, kSlabBlocks> blocks;

  const SlabBlock& communication() const { return blocks[3]; }
};

// Two planes at a time where they are whole, one where they are padded: the pieces are equally
// deep.
constexpr SlabTable kSlabTable1 = {
    "slab paper, Table 1",
    "128^3",
    2,
    1,
    {{{"allocate", nullptr, {0.000023, 1.06, 1.05}, {0.000022, 1.02, 1.04}, {0.95, 0.97, 0.96}},
      {"nd3proc", "plane_loop", {0.037205, 1.85, 3.62}, {0.046629, 1.72, 2.95}, {1.25, 1.33, 1.53}},
      {"unmpiswitch", "pack", {0.005316, 2.01, 4.15}, {0.005430, 1.92, 4.03}, {1.02, 1.06, 1.05}},
      {"communication",
       "waits",
       {0.022314, 1.67, 3.03},
       {0.002268, 0.36, 0.58},
       {0.10, 0.46, 0.53}},
      {"md2proc", "last_axis", {0.022962, 1.95, 3.97}, {0.024388, 1.81, 3.67}, {1.06, 1.14, 1.14}},
      {"unscramble", "unpack", {0.008718, 2.42, 5.13}, {0.008783, 1.58, 3.38}, {1.00, 1.53, 1.52}},
      {"deallocate",
       nullptr,
       {0.000008, 1.00, 1.02},
       {0.000015, 1.27, 1.40},
       {1.76, 1.38, 1.29}}}}};
constexpr SlabTable kSlabTable2 = {
    "slab paper, Table 2",
    "128^3, box cut 2",
    1,
    2,
    {{{"allocate", nullptr, {0.000019, 1.00, 0.94}, {0.000055, 2.89, 2.89}, {2.89, 1.00, 1.01}},
      {"nd3proc", "plane_loop", {0.040705, 1.97, 4.13}, {0.064339, 2.78, 5.62}, {1.58, 1.12, 1.16}},
      {"unmpiswitch", "pack", {0.001541, 1.96, 3.92}, {0.002681, 3.19, 6.31}, {1.74, 1.07, 1.08}},
      {"communication",
       "waits",
       {0.006264, 2.12, 3.47},
       {0.005237, 31.17, 7.39},
       {0.84, 0.06, 0.39}},
      {"md2proc", "last_axis", {0.004317, 1.78, 3.69}, {0.005115, 2.02, 4.23}, {1.18, 1.04, 1.04}},
      {"unscramble", "unpack", {0.001508, 2.02, 4.36}, {0.001771, 2.07, 4.85}, {1.17, 1.15, 1.05}},
      {"deallocate",
       nullptr,
       {0.000008, 1.33, 1.60},
       {0.000018, 2.00, 2.25},
       {2.25, 1.50, 1.60}}}}};
constexpr std::array kSlabTables = {kSlabTable1, kSlabTable2};

/// Planes per exchange for which the paper's model of the pipeline stands beside the run, on 8
/// processes.
constexpr std::array kModelPlanes = {1, 2, 4, 8};
constexpr std::size_t kModelPartition = 1;

SlabCase slab_case(const SlabTable& table, std::size_t partition) {
  return {kSlabPartitions.at(partition).torus, 128, table.planes, table.box_cut};
}

SlabCase model_case(std::int64_t planes) {
  return {kSlabPartitions.at(kModelPartition).torus, 128, planes, 1};
}

/// Figures of a partition's run; `part`: "blocking", "non_blocking" or "ratio".
std::optional<double> slab_figure(const PaperResults& results, const SlabTable& table,
                                  std::size_t partition, const char* part, const char* block) {
  const Json* figures = figures_in(results, slab_case(table, partition).key());
  if (figures == nullptr || block == nullptr) return std::nullopt;
  const Json& figure = figures->at(part).at(block);
  return figure.is_null() ? std::nullopt : std::optional(figure.get<double>());
}

PaperRow slab_row(const SlabTable& table, std::size_t partition, std::string_view what,
                  const char* unit, double seed, std::optional<double> ours) {
  return {
      "slab",
      fmt::format("{}, {} proc., {}", table.what, kSlabPartitions.at(partition).processes, what),
      table.source,
      unit,
      seed,
      ours};
}

std::string note_of(const SlabBlock& block, std::string_view note) {
  return block.ours == nullptr ? "no virtual time" : std::string(note);
}

std::optional<double> over(std::optional<double> numerator, std::optional<double> denominator) {
  return numerator && denominator && *denominator > 0 ? std::optional(*numerator / *denominator)
                                                      : std::nullopt;
}

/// One version's seconds on 4 processes and speed-ups over them.
struct SlabVersion {
  const char* part;   ///< of a run's figures
  const char* title;  ///< in rows
  SlabFigures SlabBlock::*figures;
};
constexpr std::array kSlabVersions = {
    SlabVersion{"blocking", "blocking", &SlabBlock::blocking},
    SlabVersion{"non_blocking", "non-blocking", &SlabBlock::non_blocking}};

std::vector<PaperRow> slab_time_rows(const SlabTable& table, const SlabVersion& version,
                                     const PaperResults& results, const PaperSetting& setting) {
  std::vector<PaperRow> rows;
  for (const SlabBlock& block : table.blocks)
    for (std::size_t i = 0; i < kSlabPartitions.size(); ++i) {
      const auto ours = slab_figure(results, table, i, version.part, block.ours);
      const auto of_4 = slab_figure(results, table, 0, version.part, block.ours);
      const std::string what = fmt::format("{}, {}", block.name, version.title);
      rows.push_back(slab_row(table, i, what, i == 0 ? "s" : "speed-up",
                              (block.*version.figures).at(i), i == 0 ? ours : over(of_4, ours)));
      const std::string machine = fmt::format("of {}; theirs of a cluster", setting.machine.name);
      rows.back().note = note_of(block, i == 0 ? machine : "4 processes: 1");
    }
  return rows;
}

std::vector<PaperRow> slab_ratio_rows(const SlabTable& table, const PaperResults& results) {
  std::vector<PaperRow> rows;
  for (const SlabBlock& block : table.blocks)
    for (std::size_t i = 0; i < kSlabPartitions.size(); ++i) {
      rows.push_back(slab_row(table, i, block.name, "ratio", block.ratio.at(i),
                              slab_figure(results, table, i, "ratio", block.ours)));
      rows.back().note = note_of(block, "non-blocking / blocking");
    }
  return rows;
}

/// The share of the blocking communication that is hidden: by the paper's formula, and measured.
std::vector<PaperRow> slab_model_rows(const PaperResults& results) {
  std::vector<PaperRow> rows;
  for (const std::int64_t planes : kModelPlanes) {
    PaperRow row{"slab", fmt::format("128^3, 8 proc., {} at a time, hidden", planes),
                 "section 4.4.1, t(f)", "%"};
    if (const Json* figures = figures_in(results, model_case(planes).key())) {
      const Json& model = figures->at("model");
      row.seed = model["hidden_percent"].get<double>();
      row.ours = model["measured_percent"].get<double>();
      row.note =
          fmt::format("theirs: the formula; d = {}, s_nb = {} B",
                      model["depth"].get<std::int64_t>(), model["piece_bytes"].get<std::int64_t>());
    }
    rows.push_back(row);
  }
  return rows;
}

/// The rows of what padding leaves of the blocking communication: a quarter of the data travels.
std::vector<PaperRow> slab_padding_rows(const PaperResults& results) {
  const SlabTable& full = kSlabTables.front();
  const SlabTable& padded = kSlabTables.back();
  std::vector<PaperRow> rows;
  for (std::size_t i = 0; i < kSlabPartitions.size(); ++i) {
    const auto theirs = [&](const SlabTable& table) {
      const SlabFigures& figures = table.communication().blocking;
      return figures[0] / (i == 0 ? 1 : figures.at(i));
    };
    const auto ours = [&](const SlabTable& table) {
      return slab_figure(results, table, i, "blocking", "waits");
    };
    rows.push_back(slab_row(padded, i, "comm. / full", "ratio", theirs(padded) / theirs(full),
                            over(ours(padded), ours(full))));
    rows.back().source = "Table 2 / Table 1";
    rows.back().note = "blocking; a quarter of the data is sent";
  }
  return rows;
}

std::vector<PaperRow> slab_rows(const PaperResults& results, const PaperSetting& setting) {
  std::vector<PaperRow> rows;
  const auto add = [&](const std::vector<PaperRow>& some) {
    rows.insert(rows.end(), some.begin(), some.end());
  };
  for (const SlabTable& table : kSlabTables) {
    for (const SlabVersion& version : kSlabVersions)
      add(slab_time_rows(table, version, results, setting));
    add(slab_ratio_rows(table, results));
  }
  add(slab_padding_rows(results));
  add(slab_model_rows(results));
  return rows;
}

std::vector<Simulation> slab_simulations() {
  std::vector<Simulation> simulations;
  for (const SlabTable& table : kSlabTables)
    for (std::size_t i = 0; i < kSlabPartitions.size(); ++i)
      simulations.push_back(slab_simulation(slab_case(table, i)));
  for (const std::int64_t planes : kModelPlanes)
    simulations.push_back(slab_simulation(model_case(planes)));
  return simulations;
}

}  // namespace

const PaperSection kSlabSection = {"slab", slab_simulations, slab_rows};

}  // namespace toroid
