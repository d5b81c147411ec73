// Section `slab`: Tables 1 and 2 of the slab paper, the times of the blocks of the non-blocking
// version relative to those of the blocking one, for the full transform and for the zero-padded
// one.
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

struct SlabTable {
  const char* source;
  const char* what;
  std::int64_t planes, box_cut;
  SlabFigures plane_loop, communication, last_axis;  ///< non-blocking / blocking
  double blocking_s;                                 ///< communication, 4 processes
  SlabFigures speed_up;                              ///< of the communication
};
// Two planes at a time where they are whole, one where they are padded: the pieces are equally
// deep.
constexpr std::array kSlabTables = {SlabTable{.source = "slab paper, Table 1",
                                              .what = "128^3",
                                              .planes = 2,
                                              .box_cut = 1,
                                              .plane_loop = {1.25, 1.33, 1.53},
                                              .communication = {0.10, 0.46, 0.53},
                                              .last_axis = {1.06, 1.14, 1.14},
                                              .blocking_s = 0.022314,
                                              .speed_up = {1, 1.67, 3.03}},
                                    SlabTable{.source = "slab paper, Table 2",
                                              .what = "128^3, box cut 2",
                                              .planes = 1,
                                              .box_cut = 2,
                                              .plane_loop = {1.58, 1.12, 1.16},
                                              .communication = {0.84, 0.06, 0.39},
                                              .last_axis = {1.18, 1.04, 1.04},
                                              .blocking_s = 0.006264,
                                              .speed_up = {1, 2.12, 3.47}}};

SlabCase slab_case(const SlabTable& table, std::size_t partition) {
  return {kSlabPartitions.at(partition).torus, 128, table.planes, table.box_cut};
}

/// Figures of a partition's run; `part`: "blocking", "non_blocking" or "ratio".
std::optional<double> slab_figure(const PaperResults& results, const SlabTable& table,
                                  std::size_t partition, const char* part, const char* block) {
  const Json* figures = figures_in(results, slab_case(table, partition).key());
  if (figures == nullptr) return std::nullopt;
  return figures->at(part).at(block).get<double>();
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

std::vector<PaperRow> slab_ratio_rows(const SlabTable& table, const PaperResults& results) {
  struct Block {
    const char* what;
    const char* name;
    const SlabFigures& seed;
  };
  std::vector<PaperRow> rows;
  for (const Block& block : {Block{"nd3proc", "plane_loop", table.plane_loop},
                             Block{"communication", "waits", table.communication},
                             Block{"md2proc", "last_axis", table.last_axis}})
    for (std::size_t i = 0; i < kSlabPartitions.size(); ++i) {
      rows.push_back(slab_row(table, i, block.what, "ratio", block.seed.at(i),
                              slab_figure(results, table, i, "ratio", block.name)));
      rows.back().note = "non-blocking / blocking";
    }
  return rows;
}

std::optional<double> over(std::optional<double> numerator, std::optional<double> denominator) {
  return numerator && denominator ? std::optional(*numerator / *denominator) : std::nullopt;
}

/// The speed-up of the blocking communication over that of 4 processes.
std::vector<PaperRow> slab_speed_up_rows(const SlabTable& table, const PaperResults& results) {
  const auto blocking = [&](std::size_t i) {
    return slab_figure(results, table, i, "blocking", "waits");
  };
  std::vector<PaperRow> rows;
  for (std::size_t i = 1; i < kSlabPartitions.size(); ++i) {
    rows.push_back(slab_row(table, i, "communication", "speed-up", table.speed_up.at(i),
                            over(blocking(0), blocking(i))));
    rows.back().note = "blocking, 4 processes: 1";
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
      return table.blocking_s / table.speed_up.at(i);
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

std::vector<PaperRow> slab_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  const auto add = [&](const std::vector<PaperRow>& some) {
    rows.insert(rows.end(), some.begin(), some.end());
  };
  for (const SlabTable& table : kSlabTables) {
    add(slab_ratio_rows(table, results));
    add(slab_speed_up_rows(table, results));
  }
  add(slab_padding_rows(results));
  return rows;
}

std::vector<Simulation> slab_simulations() {
  std::vector<Simulation> simulations;
  for (const SlabTable& table : kSlabTables)
    for (std::size_t i = 0; i < kSlabPartitions.size(); ++i)
      simulations.push_back(slab_simulation(slab_case(table, i)));
  return simulations;
}

}  // namespace

const PaperSection kSlabSection = {"slab", slab_simulations, slab_rows};

}  // namespace toroid
