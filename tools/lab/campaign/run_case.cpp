#include "tools/lab/campaign/run_case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "tools/lab/campaign/campaign.hpp"
#include "tools/lab/campaign/counter_columns.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/resource_estimate.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/exchange_bounds.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"

namespace toroid {
namespace {

/// `settings`: the settings of this case.
TrafficExchange exchange_of(const CampaignCase& one, const CampaignSettings& settings) {
  return {*one.policy,
          *one.traffic,
          one.shape,
          settings.machine,
          {.seed = settings.common.seed,
           .payload = !settings.is_virtual(),
           .peers = settings.peers == 0 ? ~Rank{0} : settings.peers,
           .changes = one.changes,
           .transfer = settings.run.node.transfer,
           .packets_per_visit = settings.run.node.packets_per_visit}};
}

/// Adds the latency: in virtual time in cycles, on shm in seconds. Nothing is added if packets
/// carry no time, and on ofi, where a process knows only the latencies of its own nodes.
void add_latency(Json& row, const TrafficExchange& exchange, const CampaignSettings& settings) {
  if (settings.run.fabric == FabricName::ofi) return;
  const LatencyHistogram latency = exchange.latency();
  Json json = latency_and_mean_json(latency);
  if (settings.is_virtual()) {
    row["latency"] = std::move(json);
  } else if (latency.count() > 0) {
    for (Json& figure : json) figure = figure.get<double>() / settings.machine.clock_hz;
    row["latency_s"] = std::move(json);
  }
}

}  // namespace

void refuse_unfit(const CampaignCase& one, const CampaignSettings& all, bool in_open_loop) {
  const CampaignSettings settings = settings_of(one, all);
  if (one.workload) return one.workload->refuse_unfit(settings);
  const TrafficExchange exchange = exchange_of(one, settings);
  if (in_open_loop) refuse_unfit_for_load(one, settings, exchange.settings());
}

Json run_exchange_case(const CampaignCase& one, const CampaignSettings& all) {
  const CampaignSettings settings = settings_of(one, all);
  if (one.workload) return one.workload->run(settings);
  TrafficExchange exchange = exchange_of(one, settings);
  RunOptions run = settings.run;
  run.node = exchange.node_options();
  run = moving_by(run.node.transfer, std::move(run));
  // If nodes send only to a sample of peers, computing the limits takes memory per pair. It is
  // freed before the nodes are made.
  const ExchangeLimits limits = settings.reports()
                                    ? exchange_limits(exchange, settings.machine, run.sim.dma)
                                    : ExchangeLimits();
  Emulation emulation(one.shape, settings.machine, run, true, 0);
  for (Node& node : emulation.nodes()) exchange.attach(node);
  emulation.run();
  exchange.check();

  const Tick cycles = emulation.latest(std::max(emulation.programs_end(), exchange.last_arrival()));
  if (!settings.reports()) return Json::object();
  Json row;
  add_timing(row, exchange_timing(exchange, limits, settings.machine, emulation, cycles));
  add_counted(row, emulation, one.shape, settings, cycles);
  add_latency(row, exchange, settings);
  if (!emulation.provider().empty()) row["provider"] = emulation.provider();
  row["wall_s"] = emulation.wall_seconds();
  return row;
}

namespace {

Json whole_row(const CampaignCase& one, const Json& result) {
  Json row = one.json();
  row.update(result);
  return row;
}

/// The row without the figures that differ between runs in wall-clock time.
Json without_wall_clock(const Json& row, bool is_virtual) {
  Json kept = row;
  kept.erase("wall_s");
  if (is_virtual) return kept;
  kept = Json::object();
  const auto keep = [&](const char* key) {
    if (row.contains(key)) kept[key] = row[key];
  };
  for (const char* key : kCaseKeys) keep(key);
  for (const char* key : {"packets", "error", "result_hash"}) keep(key);
  return kept;
}

}  // namespace

bool CaseRows::interrupted() const {
  return std::ranges::any_of(rows, [](const Json& row) { return row.is_null(); });
}

std::vector<Json> CaseRows::finished() const {
  std::vector<Json> kept;
  std::ranges::copy_if(rows, std::back_inserter(kept),
                       [](const Json& row) { return !row.is_null(); });
  return kept;
}

namespace {

std::string failure_text(const CampaignCase& one, const std::string& why) {
  return fmt::format("{} under policy {} on torus {}: {}", one.traffic_name, one.policy_label,
                     one.shape.text(), why);
}

bool has_work(const std::vector<std::string>& keys, const FinishedRows* finished) {
  return std::ranges::any_of(keys, [&](const std::string& key) {
    return finished == nullptr || finished->find(key) == nullptr;
  });
}

}  // namespace

CaseRows run_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                   FinishedRows* finished, const RowSink& show) {
  std::vector<std::string> keys;
  for (const CampaignCase& one : cases) keys.push_back(one.key());
  CampaignRun options{.at_once = settings.at_once(),
                      .quiet = settings.common.quiet,
                      .failures_last = settings.is_virtual(),
                      .finished = finished};
  if (settings.run.fabric == FabricName::ofi)
    options.fatal = [&](std::size_t i, const std::string& why) {
      return failure_text(cases[i], why);
    };
  if (finished != nullptr) finished->expect(cases);
  if (has_work(keys, finished)) options.work = expected_seconds(cases, settings);
  if (show)
    options.show = [&](std::size_t i, const Json& result) { show(whole_row(cases[i], result)); };
  CaseRows all{run_campaign(options, keys, [&](std::size_t i) {
    return cases[i].load ? run_load_case(cases[i], settings)
                         : run_exchange_case(cases[i], settings);
  })};
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (!all.rows[i].is_null()) all.rows[i] = whole_row(cases[i], all.rows[i]);
  return all;
}

std::string rows_hash(std::span<const Json> rows, const CampaignSettings& settings) {
  ResultHash hash;
  for (const Json& row : rows)
    hash.add(std::string_view(without_wall_clock(row, settings.is_virtual()).dump()));
  return hash.text();
}

void refuse_unfit(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                  bool in_open_loop) {
  for (const CampaignCase& one : cases) {
    check_memory(one.shape, 0);
    if (settings.run.fabric == FabricName::ofi)  // refuses a torus with fewer nodes than processes
      (void)processes_of_nodes(settings.run.processes, one.shape);
    refuse_unfit(one, settings, in_open_loop);
  }
}

}  // namespace toroid
