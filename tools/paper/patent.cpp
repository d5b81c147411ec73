// Section `patent`: its claim that links of one sign idle in an order that all nodes share, and
// none in random order.
#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tools/command_line/choice.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {
namespace {

constexpr const char* kPatentTorus = "8x8x8";
constexpr std::uint64_t kTwoFullPackets = 480;
constexpr Rank kHalfOfThePeers = 255;  ///< of 511

AllToAllCase case_of(OrderRule order, Rank peers) {
  return {kPatentTorus, kTwoFullPackets, order, peers};
}

/// The load of minus links over that of plus links while the first half of the order is sent. Over
/// a whole exchange both carry the same in any order.
std::optional<double> minus_to_plus(const PaperResults& results, OrderRule order) {
  const std::string key = case_of(order, kHalfOfThePeers).key();
  const auto plus = figure_of(results, key, "plus_busy_percent");
  const auto minus = figure_of(results, key, "minus_busy_percent");
  if (!plus || !minus) return std::nullopt;
  return *minus / *plus;
}

PaperRow peak_row(const PaperResults& results, OrderRule order) {
  PaperRow row{"patent",
               fmt::format("all-to-all on {}, {} order", kPatentTorus,
                           name_of<OrderRule>(kOrderRuleNames, order)),
               "claim 1, FIG. 9", "% of peak"};
  row.ours = figure_of(results, case_of(order, 0).key(), "percent_of_peak");
  row.bound = 100;
  row.bound_by = "link";
  return row;
}

PaperRow sign_row(const PaperResults& results, OrderRule order, std::optional<double> seed) {
  PaperRow row{"patent",
               fmt::format("X- / X+ load, first half of {} order",
                           name_of<OrderRule>(kOrderRuleNames, order)),
               "text on FIG. 9", "ratio"};
  row.seed = seed;
  row.ours = minus_to_plus(results, order);
  return row;
}

std::vector<PaperRow> patent_rows(const PaperResults& results, const PaperSetting&) {
  std::vector<PaperRow> rows;
  for (const OrderRule order : {OrderRule::random, OrderRule::shift, OrderRule::rank})
    rows.push_back(peak_row(results, order));
  rows[0].note = "\"extremely high grid link utilization\"";
  rows[1].note = "\"very inefficient\"";
  rows.push_back(sign_row(results, OrderRule::random, 1));
  rows.back().bar = within(0.05);
  rows.push_back(sign_row(results, OrderRule::shift, 0));
  rows.back().note = "\"the grid links in the negative X- direction will be idle\"";
  return rows;
}

std::vector<Simulation> patent_simulations() {
  std::vector<Simulation> simulations;
  for (const OrderRule order : {OrderRule::random, OrderRule::shift, OrderRule::rank})
    simulations.push_back(all_to_all_simulation(case_of(order, 0)));
  for (const OrderRule order : {OrderRule::random, OrderRule::shift})
    simulations.push_back(all_to_all_simulation(case_of(order, kHalfOfThePeers)));
  return simulations;
}

}  // namespace

const PaperSection kPatentSection = {"patent", patent_simulations, patent_rows};

}  // namespace toroid
