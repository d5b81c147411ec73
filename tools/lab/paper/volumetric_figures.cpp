#include "tools/lab/paper/volumetric_figures.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "tools/lab/paper/published.hpp"
#include "tools/text/table.hpp"

namespace toroid {
namespace {

struct CurvePartition {
  unsigned nodes;
  const char* torus;  ///< as in the paper: a mesh below 512 nodes, otherwise a torus
};
constexpr std::array kPartitions = {
    CurvePartition{1, "1mx1mx1m"},   CurvePartition{2, "2mx1mx1m"},
    CurvePartition{4, "2mx2mx1m"},   CurvePartition{8, "2mx2mx2m"},
    CurvePartition{16, "4mx2mx2m"},  CurvePartition{32, "4mx4mx2m"},
    CurvePartition{64, "4mx4mx4m"},  CurvePartition{128, "8mx4mx4m"},
    CurvePartition{256, "8mx8mx4m"}, CurvePartition{512, "8x8x8"},
    CurvePartition{1024, "8x8x16"},  CurvePartition{2048, "16x16x8"}};
constexpr std::array<std::int64_t, 3> kCurveSizes = {32, 64, 128};

std::int64_t most_nodes(fft::Method method, std::int64_t size) {
  return method == fft::Method::slab ? size : size * size;
}

/// One curve of the figures.
struct PaperCurve {
  fft::Method method = fft::Method::volumetric;
  fft::Layer layer = fft::Layer::packets;
  TransformCase on(const char* torus, std::int64_t size) const {
    return {method, torus, size, layer};
  }
};
constexpr PaperCurve kVolumetric{};
constexpr PaperCurve kOverMpi{fft::Method::volumetric, fft::Layer::message_passing};
constexpr PaperCurve kSlab{fft::Method::slab, fft::Layer::packets};

/// Calls the function with every case that the methods support, in the order of the figures.
template <typename Use>
void for_each_case(const Use& use) {
  for (const std::int64_t size : kCurveSizes)
    for (const CurvePartition& partition : kPartitions)
      for (const PaperCurve& curve : {kVolumetric, kOverMpi, kSlab})
        if (partition.nodes <= most_nodes(curve.method, size))
          use(curve.on(partition.torus, size), partition.nodes);
}

using Points = std::vector<CurvePoint>;

const CurvePoint* point(const Points& points, std::int64_t size, unsigned nodes,
                        const PaperCurve& curve) {
  for (const CurvePoint& p : points)
    if (p.size == size && p.nodes == nodes && p.method == curve.method && p.layer == curve.layer)
      return &p;
  return nullptr;
}

Table curve_table(std::size_t width) {
  return Table({{"size", 6},
                {"nodes", 5},
                {"partition", 9, true},
                {"volumetric", 9},
                {"bound, s", 9},
                {"speed-up", 6},
                {"t*n^(2/3)", 9, false, 2},
                {"model, s", 9},
                {"MPI, s", 9},
                {"speed-up", 6},
                {"t*n^(2/3)", 9, false, 2},
                {"slab, s", 9},
                {"speed-up", 6, false, 1}},
               width);
}

std::string curve_line(const Points& points, std::int64_t size, const CurvePartition& partition,
                       const Table& table) {
  const CurvePoint* volumetric = point(points, size, partition.nodes, kVolumetric);
  if (volumetric == nullptr) return "";
  const CurvePoint* mpi = point(points, size, partition.nodes, kOverMpi);
  const CurvePoint* slab = point(points, size, partition.nodes, kSlab);
  const auto seconds = [](double s) { return fmt::format("{:.3e}", s); };
  return table.line({fmt::format("{}^3", size), std::to_string(partition.nodes), partition.torus,
                     seconds(volumetric->time_s), seconds(volumetric->bound_s),
                     fixed_text(volumetric->speedup, 1), seconds(volumetric->scaled_s()),
                     seconds(volumetric->model_s), mpi == nullptr ? "-" : seconds(mpi->time_s),
                     mpi == nullptr ? "-" : fixed_text(mpi->speedup, 1),
                     mpi == nullptr ? "-" : seconds(mpi->scaled_s()),
                     slab == nullptr ? "-" : seconds(slab->time_s),
                     slab == nullptr ? "-" : fixed_text(slab->speedup, 1)});
}

}  // namespace

std::vector<Simulation> curve_simulations() {
  std::vector<Simulation> simulations;
  for_each_case([&](const TransformCase& what, unsigned nodes) {
    const bool is_long = nodes >= 1024 || (what.size >= 128 && nodes >= 256);
    simulations.push_back(transform_simulation(what, is_long));
  });
  return simulations;
}

double CurvePoint::scaled_s() const {
  return time_s * std::pow(nodes, 2.0 / 3);
}

std::vector<CurvePoint> curve_points(const PaperResults& results, const PaperSetting& setting) {
  Points points;
  for_each_case([&](const TransformCase& what, unsigned nodes) {
    const auto time = seconds_of(results, what.key(), "cycles", setting);
    const TransformCase one_node{what.method, kPartitions[0].torus, what.size, what.layer};
    const auto alone = seconds_of(results, one_node.key(), "cycles", setting);
    if (!time || !alone) return;
    points.push_back({what.size, nodes, what.torus, what.method, what.layer, *time,
                      *seconds_of(results, what.key(), "bound_cycles", setting),
                      text_of(results, what.key(), "bound_by"),
                      *seconds_of(results, what.key(), "paper_model_cycles", setting),
                      *alone / *time});
  });
  return points;
}

std::string curves_table(const Points& points, std::size_t width) {
  const Table table = curve_table(width);
  std::string text = "Figures 2 to 5\n" + table.header();
  for (const std::int64_t size : kCurveSizes)
    for (const CurvePartition& partition : kPartitions)
      text += curve_line(points, size, partition, table);
  return text + table.remark();
}

}  // namespace toroid
