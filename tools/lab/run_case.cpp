#include "tools/lab/run_case.hpp"

#include <algorithm>

#include "packet/policy_exchange.hpp"
#include "tools/exchange_bounds.hpp"
#include "tools/lab/campaign.hpp"
#include "tools/lab/row.hpp"

namespace toroid {

namespace {

PolicyExchangeOptions terms_of(const LabSettings& settings) {
  return {.seed = settings.common.seed,
          .payload = !settings.is_virtual(),
          .peers = settings.peers == 0 ? ~Rank{0} : settings.peers};
}

PolicyExchange exchange_of(const LabCase& one, const LabSettings& settings) {
  return {*one.policy, *one.traffic, one.shape, settings.machine, terms_of(settings)};
}

Timing timing_of(const LabCase& one, const LabSettings& settings, const Emulation& emulation,
                 Tick cycles) {
  const Machine& machine = settings.machine;
  const ExchangeCase judged(*one.policy, *one.traffic, one.shape, machine, terms_of(settings));
  return exchange_timing(judged, exchange_bounds(judged, machine), machine, emulation, cycles);
}

/// Null by null where packets had no place for a time.
Json latency_of(const PolicyExchange& exchange, const LabSettings& settings) {
  const LatencyHistogram latency = exchange.latency();
  Json json = latency_json(latency);
  if (!settings.is_virtual() && latency.count() == 0)
    for (Json& figure : json) figure = Json();
  return json;
}

}  // namespace

void refuse_unfit(const LabCase& one, const LabSettings& settings, bool in_open_loop) {
  const PolicyExchange exchange = exchange_of(one, settings);
  if (in_open_loop) refuse_unfit_for_load(one, settings, exchange.knobs());
}

Json run_exchange_case(const LabCase& one, const LabSettings& settings) {
  PolicyExchange exchange = exchange_of(one, settings);
  RunOptions run = settings.run;
  run.node = exchange.node_options();
  run.sim.tying = run.ring.tying = exchange.knobs().tying;
  Emulation emulation(one.shape, settings.machine, run, true, 0);
  for (Node& node : emulation.nodes()) exchange.attach(node);
  emulation.run();
  exchange.check();

  const Tick cycles = std::max(emulation.programs_end(), exchange.last_arrival());
  Json row;
  add_timing(row, timing_of(one, settings, emulation, cycles), settings.machine);
  add_counted(row, emulation, one, settings, cycles);
  row["latency"] = latency_of(exchange, settings);
  row["wall_s"] = emulation.wall_seconds();
  return row;
}

std::vector<Json> run_cases(std::span<const LabCase> cases, const LabSettings& settings,
                            Journal* journal) {
  std::vector<std::string> keys;
  for (const LabCase& one : cases) keys.push_back(one.key());
  const CampaignOptions options{settings.at_once(), settings.common.quiet, settings.is_virtual(),
                                journal};
  std::vector<Json> rows = run_campaign(options, keys, [&](std::size_t i) {
    return cases[i].load ? run_load_case(cases[i], settings)
                         : run_exchange_case(cases[i], settings);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json row = cases[i].json();
    row.update(rows[i]);
    rows[i] = std::move(row);
  }
  return rows;
}

std::string rows_hash(std::span<const Json> rows) {
  ResultHash hash;
  for (Json row : rows) {
    row.erase("wall_s");
    hash.add(std::string_view(row.dump()));
  }
  return hash.text();
}

}  // namespace toroid
