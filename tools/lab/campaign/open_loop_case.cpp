// A case in open loop: how much of the offered load arrives, and how late.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/open_loop.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/counter_columns.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// A load is saturated if less than this share of the generated packets arrives.
constexpr double kAcceptedShare = 0.95;
/// A load is also saturated if half of the packets take longer than this multiple of the latency
/// without load.
constexpr double kLatencyFactor = 10;

/// The longest latency that can be counted, because the cycle of a message's generation is kept in
/// 32 bits.
constexpr Tick kMostLatency = ~std::uint32_t{0};

/// The default window is at least so long that, at the bound's rate, nodes send this many messages
/// each on average.
constexpr double kMessagesInWindow = 100;
/// The default window is also at least this many times the latency on an empty machine.
constexpr double kLatenciesInWindow = 50;

/// The bound's rate: the traffic's bytes divided by the bound of links and processors.
struct FullRate {
  Bound bound{};
  std::vector<double> messages;  ///< that each node sends in `bound` cycles
  double mean() const {
    return std::reduce(messages.begin(), messages.end()) / static_cast<double>(messages.size());
  }
};

double bytes_sent(const Traffic& traffic, Rank from, const Shape& shape) {
  if (traffic.is_uniform_all_to_all())
    return static_cast<double>(traffic.message_bytes().value()) * (shape.size() - 1);
  double sum = 0;
  for (const Rank to : traffic.targets(from)) sum += static_cast<double>(traffic.bytes(from, to));
  return sum;
}

FullRate full_rate(const CampaignCase& one, const Machine& machine) {
  Bounds bounds = traffic_bounds(machine, one.shape, *one.traffic);
  bounds.zero_load = 0;  // the latency of the last packet does not limit the rate
  FullRate rate{binding(bounds), {}};
  if (bounds.hottest_link == 0)
    throw BadInput(fmt::format("traffic {} on {} crosses no link, so there is no load to offer",
                               one.traffic_name, one.shape.text()));
  for (Rank r = 0; r < one.shape.size(); ++r)
    rate.messages.push_back(bytes_sent(*one.traffic, r, one.shape) /
                            static_cast<double>(one.bytes));
  return rate;
}

/// Mean of lone_message_cycles() over a few destinations that are drawn for every node.
double zero_load_latency(const CampaignCase& one, const CampaignSettings& settings,
                         const FullRate& rate) {
  constexpr int kDraws = 8;
  const MessageCost cost = message_cost(settings.machine, one.bytes);
  double sum = 0, draws = 0;
  for (Rank from = 0; from < one.shape.size(); ++from) {
    if (rate.messages[from] <= 0) continue;
    Random random(settings.common.seed, from);
    for (int i = 0; i < kDraws; ++i, ++draws) {
      const Coord a = one.shape.coord(from), b = one.shape.coord(one.traffic->draw(from, random));
      sum += static_cast<double>(lone_message_cycles(settings.machine, cost, one.shape, a, b));
    }
  }
  return sum / draws;
}

/// The bounds of the packets that were accepted in the window. At high loads a network may accept
/// other shares of the messages than it is offered, so their bounds differ from the traffic's.
struct AcceptedBounds {
  double link = 0;       ///< cycles
  double processor = 0;  ///< cycles
};

/// Searches for a higher bound only if a search raises that of the offered traffic, because each
/// row accepts other shares and needs a search of its own.
Bounds bounds_of_accepted(const CampaignCase& one, const Machine& machine,
                          const Traffic& accepted) {
  const Tick quick = quick_traffic_bounds(machine, one.shape, *one.traffic).hottest_link;
  return traffic_bounds(machine, one.shape, *one.traffic).hottest_link > quick
             ? traffic_bounds(machine, one.shape, accepted)
             : quick_traffic_bounds(machine, one.shape, accepted);
}

AcceptedBounds accepted_bounds(const OpenLoopCounts& counts, const CampaignCase& one,
                               const Machine& machine) {
  const Rank nodes = one.shape.size();
  std::vector<TrafficEntry> entries;
  for (const auto& [pair, packets] : counts.accepted_pairs)
    entries.push_back({static_cast<Rank>(pair / nodes), static_cast<Rank>(pair % nodes),
                       packets * kPayloadBytes});
  const MatrixTraffic accepted("accepted", nodes, std::move(entries));
  const Bounds bounds = bounds_of_accepted(one, machine, accepted);
  const MessageCost cost = message_cost(machine, one.bytes);
  const double share = static_cast<double>(cost.wire_bytes) /
                       static_cast<double>(cost.packets * machine.wire_bytes(kMaxChunks));
  return {share * static_cast<double>(std::max(bounds.hottest_link, bounds.injection)),
          static_cast<double>(bounds.processor)};
}

/// A share of the window in percent. The edges of the window cut through packets, so it may hold
/// slightly more packets than fit between them; the percentage does not count these.
double percent_of_window(double cycles, Tick window) {
  return std::min(100.0, 100 * cycles / static_cast<double>(window));
}

OpenLoopPeriods periods_of(const LoadSettings& load, const FullRate& rate, double zero_load) {
  const double usual =
      std::max(kMessagesInWindow * static_cast<double>(rate.bound.cycles) / rate.mean(),
               kLatenciesInWindow * zero_load);
  const Tick window = load.window != 0 ? load.window : whole_cycles(usual, "the window");
  const Tick warm_up = load.warm_up != 0 ? load.warm_up : window / 2;
  if (2 * warm_up + window > kMostLatency)
    throw BadInput(
        fmt::format("--axis load needs {} cycles with warm-up and cool-down on this machine, but "
                    "latencies are only counted up to {}; use a shorter --window and --warm-up",
                    2 * warm_up + window, kMostLatency));
  return {.warm_up = warm_up, .window = window, .cool_down = warm_up};
}

/// The message generators of all nodes.
class Generators {
 public:
  Generators(const CampaignCase& one, const CampaignSettings& settings, const FullRate& rate,
             const OpenLoopPeriods& periods)
      : one_(one), settings_(settings), rate_(rate), periods_(periods) {}

  void attach(Node& node) {
    const double per_cycle =
        *one_.load * rate_.messages[node.rank()] / static_cast<double>(rate_.bound.cycles);
    if (per_cycle > 1)
      throw BadInput(
          fmt::format("a load of {} is more than one message per cycle from a node", *one_.load));
    OpenLoop& loop = loops_.emplace_back(
        node, kFirstUserHandler, *one_.traffic,
        OpenLoopOptions{one_.bytes, per_cycle, settings_.load.arrivals, periods_}, counts_);
    node.run(OpenLoop::program(node, loop));
  }

  /// Throws RunFailed if a packet is missing.
  const OpenLoopCounts& counts() const {
    if (counts_.all_generated != counts_.all_received)
      throw RunFailed(fmt::format("{} packets were sent and {} received", counts_.all_generated,
                                  counts_.all_received));
    return counts_;
  }

 private:
  const CampaignCase& one_;
  const CampaignSettings& settings_;
  const FullRate& rate_;
  OpenLoopPeriods periods_;
  OpenLoopCounts counts_;
  std::deque<OpenLoop> loops_;  ///< nodes keep pointers to the elements, so these must not move
};

Json load_row(const OpenLoopCounts& counts, const FullRate& rate, const CampaignCase& one,
              const Machine& machine, const OpenLoopPeriods& periods, double zero_load) {
  const double packets = static_cast<double>(packets_for(one.bytes));
  const double full = rate.mean() * static_cast<double>(one.shape.size()) * packets *
                      static_cast<double>(periods.window) / static_cast<double>(rate.bound.cycles);
  const auto generated = static_cast<double>(counts.generated);
  const auto accepted = static_cast<double>(counts.accepted);
  const Tick median = counts.latency.permille(500);
  const AcceptedBounds bounds = accepted_bounds(counts, one, machine);
  return {{"generated", generated / full},
          {"accepted", accepted / full},
          {"zero_load", std::round(zero_load)},
          {"window", periods.window},
          {"bound_cycles", rate.bound.cycles},
          {"bound_by", name_of(kBoundByNames, rate.bound.by)},
          {"percent_of_bound",
           percent_of_window(std::max(bounds.link, bounds.processor), periods.window)},
          {"percent_of_peak", percent_of_window(bounds.link, periods.window)},
          {"saturated", accepted < kAcceptedShare * generated ||
                            static_cast<double>(median) > kLatencyFactor * zero_load}};
}

/// Why the open loop cannot run the policy; empty if it can.
std::string_view beyond_load(const CampaignCase& one, const PolicySettings& settings) {
  if (one.policy->combines()) return "combines messages, but an open loop offers them one by one";
  if (one.policy->stages(one.shape) > 1) return "relays packets through other nodes";
  if (one.policy->has_releases())
    return "has release times, which count from the start of an exchange";
  if (settings.throttle.cycles_per_packet > 0 || settings.throttle.window > 0)
    return "throttles the load that is offered";
  return {};
}

/// Whether two policies act alike in an open loop, where their order of messages has no effect.
bool are_alike(const PolicySettings& a, const PolicySettings& b) {
  const auto all = [](const PolicySettings& k) {
    return std::tuple(k.output_queues, k.queue_per_direction, k.queue_capacity, k.drain, k.tying,
                      k.routing, k.tie);
  };
  return all(a) == all(b);
}

}  // namespace

void refuse_unfit_for_load(const CampaignCase& one, const CampaignSettings& settings,
                           const PolicySettings& of_policy) {
  if (const auto why = beyond_load(one, of_policy); !why.empty())
    throw BadInput(
        fmt::format("policy {} {}: not possible with --axis load", one.policy_name, why));
  full_rate(one, settings.machine);
}

std::vector<CampaignCase> cases_for_load(std::span<const CampaignCase> cases,
                                         const Machine& machine) {
  std::vector<CampaignCase> kept;
  for (const CampaignCase& one : cases) {
    const PolicySettings settings = one.policy->settings({one.shape, machine, *one.traffic});
    const auto is_as_good = [&](const CampaignCase& other) {
      return other.traffic == one.traffic &&
             are_alike(settings, other.policy->settings({one.shape, machine, *one.traffic}));
    };
    if (beyond_load(one, settings).empty() && std::ranges::none_of(kept, is_as_good))
      kept.push_back(one);
  }
  return kept;
}

double exchanges_at_full_load(const CampaignCase& one, const CampaignSettings& settings) {
  const FullRate rate = full_rate(one, settings.machine);
  const OpenLoopPeriods periods =
      periods_of(settings.load, rate, zero_load_latency(one, settings, rate));
  return static_cast<double>(periods.end()) / static_cast<double>(rate.bound.cycles);
}

Json run_load_case(const CampaignCase& one, const CampaignSettings& all) {
  const CampaignSettings settings = settings_of(one, all);
  const TrafficExchange options(*one.policy, *one.traffic, one.shape, settings.machine,
                                {.seed = settings.common.seed, .changes = one.changes});
  const FullRate rate = full_rate(one, settings.machine);
  const double zero_load = zero_load_latency(one, settings, rate);
  const OpenLoopPeriods periods = periods_of(settings.load, rate, zero_load);

  RunOptions run = settings.run;
  run.node = options.node_options();
  Emulation emulation(one.shape, settings.machine, run, true, 0);
  Generators generators(one, settings, rate, periods);
  for (Node& node : emulation.nodes()) generators.attach(node);
  emulation.run();

  if (generators.counts().latency.count() == 0)
    throw RunFailed(
        fmt::format("no packet was generated in the window of {} cycles; use a longer "
                    "--window",
                    periods.window));
  const OpenLoopCounts& counts = generators.counts();
  const Tick end = emulation.counters().end;
  if (end > kMostLatency)
    throw RunFailed(
        fmt::format("the run took {} cycles, but latencies are only counted in runs of up to {}; "
                    "use a shorter --window or a faster machine",
                    end, kMostLatency));
  Json row = load_row(counts, rate, one, settings.machine, periods, zero_load);
  row["time_s"] = static_cast<double>(end) / settings.machine.clock_hz;
  row["cycles"] = end;
  add_counted(row, emulation, one.shape, settings, end);
  row["accepted_rate"] =
      static_cast<double>(counts.accepted) /
      (static_cast<double>(one.shape.size()) * static_cast<double>(periods.window));
  row["latency"] = latency_and_mean_json(counts.latency);
  row["wall_s"] = emulation.wall_seconds();
  return row;
}

}  // namespace toroid
