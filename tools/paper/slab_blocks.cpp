// Table 1 of the slab paper: what the non-blocking version takes relative to the blocking one.
#include "tools/paper/section.hpp"

namespace toroid {
namespace {

/// The paper's processes were on the nodes of a switched cluster; here they are a block of a torus.
struct SlabColumn {
  const char* torus;
  unsigned processes;
  double communication, plane_loop;  ///< non-blocking / blocking
};
constexpr std::array kSlabTable = {SlabColumn{"2x2x1", 4, 0.10, 1.25},
                                   SlabColumn{"2x2x2", 8, 0.46, 1.33},
                                   SlabColumn{"4x2x2", 16, 0.53, 1.53}};

TransformCase slab_case(const SlabColumn& column) {
  return {Method::slab, column.torus, 128};
}

PaperRow slab_row(const PaperResults& results, const SlabColumn& column, const char* what,
                  const char* block, double seed) {
  PaperRow row{"slab", fmt::format("128^3, {} processes, {}", column.processes, what),
               "slab paper, Table 1", "ratio", seed};
  if (const Json* figures = figures_in(results, slab_simulation(slab_case(column)).key))
    row.ours = figures->at("ratio").at(block).get<double>();
  row.note = "non-blocking, a plane at a time / blocking";
  return row;
}

std::vector<PaperRow> slab_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  for (const SlabColumn& column : kSlabTable)
    rows.push_back(
        slab_row(results, column, "communication", "communication", column.communication));
  for (const SlabColumn& column : kSlabTable)
    rows.push_back(slab_row(results, column, "packing loop", "plane_loop", column.plane_loop));
  return rows;
}

std::vector<Simulation> slab_simulations() {
  std::vector<Simulation> simulations;
  for (const SlabColumn& column : kSlabTable)
    simulations.push_back(slab_simulation(slab_case(column)));
  return simulations;
}

}  // namespace

const PaperSection kSlabSection = {"slab", slab_simulations, slab_rows};

}  // namespace toroid
