#include "tools/lab/paper/simulate.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "hal/check.hpp"
#include "tools/lab/campaign/campaign.hpp"
#include "tools/text/json.hpp"

namespace toroid {
namespace {

RunEstimate expected_of(const Simulation& simulation, const PaperSetting& setting) {
  return simulation.expected ? simulation.expected(setting) : RunEstimate{};
}

unsigned runs_at_once(const SimulateOptions& options) {
  return options.at_once != 0 ? options.at_once : cores_at_hand();
}

}  // namespace

PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options) {
  std::vector<std::string> keys;
  CampaignRun campaign{.at_once = runs_at_once(options), .quiet = options.quiet};
  for (const Simulation& simulation : simulations) {
    keys.push_back(simulation.key);
    campaign.work.push_back(expected_of(simulation, setting).seconds);
  }
  PaperResults results;
  campaign.show = [&](std::size_t i, const Json& figures) {
    if (figures.contains("error")) throw RunFailed(figures["error"].get<std::string>());
    results[keys[i]] = figures;
    if (options.show) options.show(results);
  };
  run_campaign(campaign, keys, [&](std::size_t i) { return simulations[i].run(setting); });
  return results;
}

RunEstimate estimate_simulations(const std::vector<Simulation>& simulations,
                                 const PaperSetting& setting, unsigned at_once) {
  RunEstimate all;
  double longest = 0;
  std::vector<double> bytes;
  for (const Simulation& simulation : simulations) {
    const RunEstimate one = expected_of(simulation, setting);
    all.seconds += one.seconds;
    longest = std::max(longest, one.seconds);
    bytes.push_back(one.bytes);
  }
  const unsigned threads = runs_at_once({.at_once = at_once});
  all.seconds = std::max(longest, all.seconds / threads);
  std::ranges::sort(bytes, std::greater());
  all.runs_at_once = static_cast<unsigned>(std::clamp<std::size_t>(bytes.size(), 1, threads));
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, bytes.size()); ++i)
    all.bytes += bytes[i];
  return all;
}

}  // namespace toroid
