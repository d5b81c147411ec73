// Section `asymmetric`: all-to-all where one dimension is longer than the others, straight to the
// destination, where packets of the longest dimension block all others, and in two phases. Source:
// S. Kumar et al., "Optimization of All-to-all Communication on the Blue Gene/L Supercomputer"
// (ICPP 2008), and S. Kumar and P. Heidelberger, IBM Research Report RC24327 (2007).
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/shape.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {
namespace {

struct AsymmetricTorus {
  const char* torus;
  Rank sample;  ///< nodes that every node sends to; 0: all
  bool is_long;
  const char* source = "(none published)";
  std::optional<double> direct{}, two_phase{};  ///< % of peak, measured on a Blue Gene/L
  const char* direct_text = "";
};
// Samples are multiples of every extent, so that they load links as evenly as the whole exchange.
constexpr std::array kAsymmetricTori = {
    AsymmetricTorus{"8x8x16", 0, false}, AsymmetricTorus{"8x32x16", 128, true},
    AsymmetricTorus{"40x32x16", 160, true, "RC24327 (2007)", 70, 99, "\"about 70%\""},
    AsymmetricTorus{"64x32x32", 64, true, "ICPP 2008", 64, 99}};

/// The bytes of two full packets, of each of which 8 bytes may be for the node that forwards it.
constexpr std::uint64_t kTwoRelayedPackets = 464;
constexpr const char* kDirect = "random";
constexpr const char* kTwoPhase = "two-phase";

PolicyRun asymmetric_run(const AsymmetricTorus& machine, const char* policy) {
  return {machine.torus, policy, kTwoRelayedPackets, machine.sample};
}

std::string asymmetric_note(const AsymmetricTorus& machine, const char* published) {
  std::string note = published;
  if (machine.sample != 0)
    note += fmt::format("{}ours: a sample, each node to {} others", note.empty() ? "" : "; ",
                        machine.sample);
  return note;
}

using Percent = std::optional<double>;

PaperRow asymmetric_row(const AsymmetricTorus& machine, const char* way, Percent seed, Percent ours,
                        const char* published) {
  PaperRow row{"asymmetric",   fmt::format("all-to-all on {}, {}", machine.torus, way),
               machine.source, "% of peak",
               seed,           ours};
  row.bound = 100;
  row.bound_by = "link";
  row.note = asymmetric_note(machine, seed ? published : "");
  return row;
}

std::optional<double> phases_gain(Percent direct, Percent two_phase) {
  return direct && two_phase ? std::optional(*two_phase / *direct) : std::nullopt;
}

std::vector<PaperRow> asymmetric_rows_on(const AsymmetricTorus& machine,
                                         const PaperResults& results) {
  const auto peak = [&](const char* policy) {
    return figure_of(results, asymmetric_run(machine, policy).key(), "percent_of_peak");
  };
  const Percent direct = peak(kDirect), two_phase = peak(kTwoPhase);
  return {
      asymmetric_row(machine, "direct", machine.direct, direct, machine.direct_text),
      asymmetric_row(machine, "two-phase", machine.two_phase, two_phase, "\"over 99%\""),
      {"asymmetric", fmt::format("two-phase / direct on {}", machine.torus), machine.source,
       "times", phases_gain(machine.direct, machine.two_phase), phases_gain(direct, two_phase)}};
}

std::vector<PaperRow> asymmetric_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  for (const AsymmetricTorus& machine : kAsymmetricTori)
    for (PaperRow& row : asymmetric_rows_on(machine, results)) rows.push_back(std::move(row));
  return rows;
}

std::vector<Simulation> asymmetric_simulations() {
  std::vector<Simulation> simulations;
  for (const AsymmetricTorus& machine : kAsymmetricTori)
    for (const char* policy : {kDirect, kTwoPhase})
      simulations.push_back(policy_simulation(asymmetric_run(machine, policy), machine.is_long));
  return simulations;
}

}  // namespace

const PaperSection kAsymmetricSection = {"asymmetric", asymmetric_simulations, asymmetric_rows};

}  // namespace toroid
