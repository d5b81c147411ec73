// Section `engines`: all-to-all on machines whose DMA engines cut messages into packets. Source: D.
// Chen et al., "Looking under the hood of the IBM Blue Gene/Q network" (SC'12).
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "hal/shape.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {
namespace {

/// What a text says of a machine's all-to-all, % of peak.
struct PublishedRange {
  double least;
  double most;
  constexpr double middle() const { return (least + most) / 2; }
  constexpr RatioBar bar() const { return {least / middle(), most / middle()}; }
  constexpr RatioBar at_least() const {
    return {least / middle(), std::numeric_limits<double>::infinity()};
  }
};

constexpr PublishedRange kBlueGeneQ{85, 95};

struct EngineMachine {
  const char* name;  ///< of the preset
  const char* torus;
  Rank sample;  ///< nodes that every node sends to; 0: all
  const char* source;
  std::optional<double> published{};
  std::optional<RatioBar> bar{};
  const char* note = "";
};
constexpr std::array kEngineMachines = {
    EngineMachine{"bgp", "8x8x8", 0, "(none published)"},
    EngineMachine{"bgq", "4x4x4x4x2", 0, "SC'12, abstract", kBlueGeneQ.middle(),
                  kBlueGeneQ.at_least(), "\"between 85% to 95% of peak\", to 16K nodes"},
    EngineMachine{"bgq", "8x4x4x4x2", 128, "SC'12, abstract", kBlueGeneQ.middle(), kBlueGeneQ.bar(),
                  "ours: a sample, each node to 128 others"}};

constexpr std::uint64_t kTwoPacketsByPut = 480;

PolicyRun engine_run(const EngineMachine& machine) {
  return {machine.torus, "random", kTwoPacketsByPut, machine.sample, machine.name};
}

PaperRow engine_row(const EngineMachine& machine, const PaperResults& results) {
  PaperRow row{"engines", fmt::format("all-to-all on {} {}, by put", machine.name, machine.torus),
               machine.source, "% of peak"};
  row.ours = figure_of(results, engine_run(machine).key(), "percent_of_peak");
  row.bound = 100;
  row.bound_by = "link";
  row.note = machine.note;
  row.seed = machine.published;
  row.bar = machine.bar;
  return row;
}

std::vector<PaperRow> engine_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  for (const EngineMachine& machine : kEngineMachines) rows.push_back(engine_row(machine, results));
  return rows;
}

std::vector<Simulation> engine_simulations() {
  std::vector<Simulation> simulations;
  for (const EngineMachine& machine : kEngineMachines)
    simulations.push_back(policy_simulation(engine_run(machine), false));
  return simulations;
}

}  // namespace

const PaperSection kEnginesSection = {"engines", engine_simulations, engine_rows};

}  // namespace toroid
