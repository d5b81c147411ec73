// toroid alltoall: every node sends a message to every other; how close to the bound does it get?
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/drain.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/command_line/choice.hpp"
#include "tools/command_line/known_names.hpp"
#include "tools/command_line/option_values.hpp"
#include "tools/command_line/options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/io/message_export.hpp"
#include "tools/io/output_file.hpp"
#include "tools/machines/machine_file.hpp"
#include "tools/report/output.hpp"
#include "tools/results/exchange_bounds.hpp"
#include "tools/results/json.hpp"
#include "tools/results/result_hash.hpp"
#include "tools/results/run_result.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/expectation.hpp"
#include "tools/run/memory.hpp"
#include "tools/run/progress.hpp"
#include "tools/run/watch.hpp"
#include "tools/run/watch_options.hpp"

namespace toroid {
namespace {

struct AllToAllOptions {
  CommonOptions common;
  TorusOptions torus;
  WatchOptions watch;
  std::string policy = "random";
  std::string export_to;
  std::uint64_t bytes = 240;
  std::uint32_t per_visit = 0;  ///< 0: the policy's
  Rank peers = 0;               ///< the first of each node's order; 0: all
  Rank sample = 0;              ///< places that all nodes send to, relative to themselves; 0: all
  const CLI::App* verb = nullptr;

  bool sampled() const { return peers != 0; }
  /// Whether the user has said so, instead of the policy.
  bool given(const char* option) const { return verb->count(option) > 0; }
  std::string traffic() const {
    return sample > 0 ? fmt::format("sample:{}", sample) : "all-to-all";
  }
  /// Of one node.
  Rank targets(const Shape& shape) const {
    return sample > 0 ? sample : sampled() ? std::min(peers, shape.size() - 1) : shape.size() - 1;
  }
  const std::string& order_text() const { return given("--order") ? torus.order : policy; }
};

Json bounds_json(const Bounds& bounds) {
  return {{"hottest_link", bounds.hottest_link},
          {"injection", bounds.injection},
          {"processor", bounds.processor},
          {"zero_load", bounds.zero_load}};
}

/// What the user says goes before what the policy says.
PolicySettings settings_of(const AllToAllOptions& options, PolicySettings settings) {
  const TorusOptions& torus = options.torus;
  if (options.per_visit != 0) settings.packets_per_visit = options.per_visit;
  if (options.given("--queues")) settings.output_queues = torus.queues;
  if (options.given("--routing"))
    settings.routing = parse_choice<RoutingRule>("routing", kRoutingRuleNames, torus.routing);
  if (options.given("--tie"))
    settings.tie = parse_choice<TieRule>("tie rule", kTieRuleNames, torus.tie);
  if (options.given("--tying"))
    settings.tying = parse_choice<FifoTying>("tying", kFifoTyingNames, torus.tying);
  if (options.given("--drain"))
    settings.drain = parse_choice<DrainRule>("drain rule", kDrainRuleNames, torus.drain);
  return settings;
}

PolicyExchangeOptions exchange_options(const AllToAllOptions& options, const Policy& policy,
                                       const Traffic& traffic, const Shape& shape,
                                       const Machine& machine, bool payload) {
  PolicyExchangeOptions exchange{.seed = options.common.seed, .payload = payload};
  exchange.settings = settings_of(options, policy.settings({shape, machine, traffic}));
  if (options.sampled()) exchange.peers = options.peers;
  if (options.given("--order"))
    exchange.order = parse_choice<OrderRule>("order", kOrderRuleNames, options.torus.order);
  return exchange;
}

Json make_report(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                 const ExchangeCase& judged, const Emulation& emulation,
                 const PolicyExchange& exchange, Tick cycles) {
  const ExchangeLimits limits = exchange_limits(judged, machine);
  ResultHash hash;
  Json report = report_head("alltoall", options.common, shape, machine);
  const PolicySettings& settings = exchange.settings();
  report.update({{"bytes", options.bytes},
                 {"policy", policy_by_name(options.policy).name()},
                 {"order", options.order_text()},
                 {"routing", name_of(kRoutingRuleNames, settings.routing)},
                 {"tie", name_of(kTieRuleNames, settings.tie)},
                 {"drain", name_of(kDrainRuleNames, settings.drain)},
                 {"tying", name_of(kFifoTyingNames, settings.tying)},
                 {"packets_per_visit", settings.packets_per_visit},
                 {"output_queues", settings.output_queues},
                 {"transit_first", !options.torus.no_transit_first},
                 {"bubble_rule", !options.torus.no_bubble}});
  if (options.sampled()) report["peers"] = options.peers;
  if (options.sample > 0) report["sample"] = options.sample;
  add_workers(report, options.common, emulation);
  add_timing(report, exchange_timing(judged, limits, machine, emulation, cycles));
  if (is_virtual(report)) {
    report["bounds"] = bounds_json(limits.bounds);
    report["latency"] = latency_json(exchange.latency());
    report["forwarded"] = exchange.forwarded();
    report["acknowledgements"] = exchange.acknowledgements();
  }
  add_counters(report, hash, {emulation.counters(), shape, machine, cycles});
  if (!options.sampled() && options.sample == 0 && report.contains("links"))
    report["links"]["bound_messages"] = hottest_link_messages(shape).value();
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

void print_table(const AllToAllOptions& options, const Json& report) {
  fmt::print("all-to-all, {} bytes per pair, policy {}{}, routing {}, tie {}\n{}", options.bytes,
             report["policy"].get<std::string>(),
             options.given("--order") ? ", order " + options.torus.order : "",
             report["routing"].get<std::string>(), report["tie"].get<std::string>(),
             summary_table(report));
  if (report.contains("latency"))
    fmt::print("  latency          {:>14} cycles median, {} at 99 %, {} most\n",
               report["latency"]["p50"].get<Tick>(), report["latency"]["p99"].get<Tick>(),
               report["latency"]["max"].get<Tick>());
  if (is_virtual(report))
    fmt::print("  model speed      {:>14.3e} packet-hops per CPU second\n",
               report["packet_hops_per_cpu_s"].get<double>());
}

int run_on(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
           const RunOptions& run_options) {
  const bool reports = run_options.processes.reports();
  const bool carries_payload = run_options.fabric != FabricName::sim;
  if (carries_payload && options.sampled())
    throw BadInput("--peers is for --fabric sim; elsewhere everybody sends to everybody");
  if (options.sampled() && options.peers >= shape.size())
    throw BadInput(fmt::format("--peers {}: a node of torus {} has {} others", options.peers,
                               shape.text(), shape.size() - 1));
  if (options.sampled() && options.sample > 0)
    throw BadInput("--peers and --sample are two samples; give one");
  const double pairs = static_cast<double>(shape.size()) * options.targets(shape);
  const double arrays = carries_payload ? 2 * pairs * static_cast<double>(options.bytes) : 0;
  check_memory(shape, arrays);
  refuse_one_file_for_two(std::array{options.common.json == "-" ? "" : options.common.json,
                                     options.watch.record, options.watch.trace,
                                     options.watch.report, options.export_to});
  JsonOutput json(reports ? options.common.json : "");
  Watch watch(options.watch, report_notice(options.common.quiet, json.to_standard_output()), shape,
              machine, run_options);
  MessageExport messages(options.export_to, shape, run_options.processes);

  const Policy& policy = policy_by_name(options.policy);
  const auto traffic = make_traffic(options.traffic(), shape, options.bytes, options.common.seed);
  announce(run_expectation(exchange_work(policy, *traffic, shape, options.peers), shape, machine,
                           run_options, arrays),
           options.common.quiet || !reports);
  const PolicyExchangeOptions terms =
      exchange_options(options, policy, *traffic, shape, machine, carries_payload);
  PolicyExchange exchange(policy, *traffic, shape, machine, terms);
  RunOptions tied = run_options;
  tied.node = exchange.node_options();
  tied.node.record = run_options.node.record;
  tied.sim.tying = tied.ring.tying = exchange.settings().tying;
  Emulation emulation(
      shape, machine, messages.recorded(watch.watched(tied)), options.common.quiet,
      std::uint64_t{options.targets(shape)} * packets_for(options.bytes) * shape.size());
  for (Node& n : emulation.nodes()) {
    throw_if_interrupted();
    exchange.attach(n);
  }
  watch.guard([&] { emulation.run(); });
  exchange.check();
  messages.write(emulation, machine);

  const Tick end = emulation.latest(std::max(emulation.programs_end(), exchange.last_arrival()));
  if (!reports) return 0;
  const ExchangeCase judged(policy, *traffic, shape, machine, terms);
  const Json report = make_report(options, shape, machine, judged, emulation, exchange, end);
  if (!options.common.quiet && !json.to_standard_output()) print_table(options, report);
  watch.write(report, emulation.counters());
  json.write(report);
  return 0;
}

int run(const AllToAllOptions& options) {
  const Shape shape = shape_of(options.torus);
  const Machine machine = load_machine(options.common.machine);
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  return run_options.processes.run([&] { return run_on(options, shape, machine, run_options); });
}

}  // namespace

CommandRun add_alltoall_command(CLI::App& app) {
  auto options = std::make_shared<AllToAllOptions>();
  CLI::App* verb = app.add_subcommand("alltoall", "an all-to-all exchange beside its bound");
  options->verb = verb;
  add_torus_options(*verb, options->torus);
  begin_group(*verb, "Policy");
  verb->add_option("--policy", options->policy,
                   "by which messages are sent; the options of this group change it; toroid info "
                   "--policies says more")
      ->type_name("NAME")
      ->check(one_of_with_parameters("policy", policy_names()))
      ->capture_default_str();
  verb->add_option("--drain", options->torus.drain, "into which injection FIFO")
      ->check(one_of("drain rule", kDrainRuleNames))
      ->capture_default_str();
  verb->add_option("--per-visit", options->per_visit,
                   "packets per visit of a peer: the patent's b; else 1 on sim, 32 elsewhere")
      ->transform(whole_number(1, 1u << 24));
  begin_group(*verb, "Traffic");
  verb->add_option("--bytes", options->bytes,
                   "payload per (source, destination) pair, as 480, 1KiB")
      ->type_name("SIZE")
      ->transform(byte_count({.max = std::uint64_t{1} << 32}))
      ->capture_default_str();
  verb->add_option("--peers", options->peers,
                   "on sim: each node sends only to the first so many of its order, a sample")
      ->transform(whole_number(1, 1u << 24));
  verb->add_option("--sample", options->sample,
                   "each node sends to the same so many places relative to itself, drawn so that "
                   "links are loaded as evenly as by all")
      ->transform(whole_number(1, 1u << 23));
  add_watch_options(*verb, options->watch);
  add_export_option(*verb, options->export_to);
  add_common_options(*verb, options->common);
  add_examples(*verb, {{"how near an exchange of 512 nodes comes to its bound",
                        "toroid alltoall --torus 8x8x8 --bytes 480"},
                       {"the same in rank order, which the patent argues against",
                        "toroid alltoall --torus 8x8x8 --bytes 480 --policy rank"},
                       {"in wall-clock time on this workstation",
                        "toroid alltoall --torus 4x4x2 --bytes 4KiB --fabric shm"},
                       {"the loads of links and FIFOs over time, as a page",
                        "toroid alltoall --torus 4x4x4 --record run.json --quiet"},
                       {"", "toroid report run.json -o run.html"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
