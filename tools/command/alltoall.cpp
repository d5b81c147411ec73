// toroid alltoall: every node sends a message to every other, or to those that a traffic pattern
// names; the result shows how close the time is to its lower bound.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/options/builtin_names.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/policy_options.hpp"
#include "tools/report/flowchart_json.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/checkpoint.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/exchange_bounds.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/link_crc_check.hpp"
#include "tools/run/message_export.hpp"
#include "tools/run/missing_messages.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/run/run_identity.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_session.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

struct AllToAllOptions {
  CommonOptions common;
  TorusOptions torus;
  ObservationOptions observation;
  CheckpointOptions checkpoint;
  std::string export_to;
  std::string pattern = "all-to-all";  ///< traffic pattern with its parameter
  std::uint64_t bytes = 240;
  Rank peers = 0;                 ///< each node sends only to the first N of its order; 0 means all
  Rank sample = 0;                ///< destinations per node, at equal offsets; 0 means all nodes
  unsigned repeat = 1;            ///< number of runs; the median of their times is reported
  bool continue_without = false;  ///< go on without lost processes
  const CLI::App* verb = nullptr;

  bool sampled() const { return peers != 0; }
  bool is_all_to_all() const { return pattern == "all-to-all" && sample == 0; }
  std::string traffic() const { return sample > 0 ? fmt::format("sample:{}", sample) : pattern; }
};

/// Total payload of all messages.
double payload_bytes(const AllToAllOptions& options, const Traffic& traffic, const Shape& shape) {
  if (traffic.is_uniform_all_to_all())
    return static_cast<double>(options.bytes) * shape.size() * (shape.size() - 1.0);
  double bytes = 0;
  for (Rank from = 0; from < shape.size(); ++from)
    for (const Rank to : traffic.targets(from))
      bytes += static_cast<double>(traffic.bytes(from, to));
  return bytes;
}

/// The total number of packets, for the progress line. It is an estimate if not all pairs of nodes
/// exchange messages of the same size.
std::uint64_t packets_expected(const AllToAllOptions& options, const Traffic& traffic,
                               const Shape& shape, const RunWork& work) {
  if (!traffic.is_uniform_all_to_all()) return static_cast<std::uint64_t>(work.packets);
  const Rank others = shape.size() - 1;
  const Rank peers = options.sampled() ? std::min(options.peers, others) : others;
  return std::uint64_t{shape.size()} * peers * packets_for(options.bytes);
}

Json bounds_json(const Bounds& bounds, bool by_engines) {
  Json json = {{"hottest_link", bounds.hottest_link},
               {"injection", bounds.injection},
               {"processor", bounds.processor},
               {"zero_load", bounds.zero_load}};
  if (by_engines) json["engine"] = bounds.engine;
  return json;
}

TrafficExchangeOptions exchange_options(const AllToAllOptions& options, const RunOptions& run) {
  return {.seed = options.common.seed,
          .payload = run.fabric != FabricName::sim,
          .peers = options.sampled() ? options.peers : ~Rank{0},
          .changes = options.torus.policy.changes(),
          .transfer = run.node.transfer,
          .packets_per_visit = run.node.packets_per_visit,
          .counts_sources = options.continue_without};
}

PolicyEffects all_to_all_effects(const RunOptions& run) {
  return policy_effects(Sent::exchanges, run.fabric, run.ring.route);
}

Json make_report(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                 const TrafficExchange& exchange, const ExchangeLimits& limits,
                 const RunOptions& run, const Emulation& emulation, Tick cycles) {
  ResultHash hash;
  Json report = report_head("alltoall", options.common, shape, machine);
  report["bytes"] = options.bytes;
  add_policy(report, run, all_to_all_effects(run));
  if (options.sampled()) report["peers"] = options.peers;
  if (options.sample > 0) report["sample"] = options.sample;
  add_workers(report, emulation);
  add_timing(report, exchange_timing(exchange, limits, machine, emulation, cycles));
  if (is_virtual(report)) {
    report["bounds"] = bounds_json(limits.bounds, run.sim.dma);
    report["latency"] = latency_json(exchange.latency());
    report["forwarded"] = exchange.forwarded();
    report["acknowledgements"] = exchange.acknowledgements();
  }
  add_counters(report, hash, {emulation.counters(), shape, machine, cycles});
  report["profile"] = profile_json(emulation.profile(), shape);
  if (!options.sampled() && options.is_all_to_all() && report.contains("links"))
    report["links"]["bound_messages"] = hottest_link_messages(shape).value();
  if (options.sample == 0 && !options.is_all_to_all()) hash.add(options.pattern);
  add_hash(report, hash);
  report["traffic"] = options.traffic();
  if (is_virtual(report)) report["latency"] = latency_and_mean_json(exchange.latency());
  add_wall_clock(report, emulation);
  return report;
}

std::string table(const AllToAllOptions& options, const Json& report) {
  const PolicyOptions& policy = options.torus.policy;
  const auto part = [&](const char* key) {
    return report[key].is_null() ? std::string()
                                 : fmt::format(", {} {}", key, report[key].get<std::string>());
  };
  std::string text = fmt::format(
      "{}, policy {}{}{}{}\n{}",
      options.pattern == "all-to-all"
          ? fmt::format("all-to-all, {} bytes per pair", options.bytes)
          : fmt::format("traffic {}, {} bytes per message", options.pattern, options.bytes),
      report["policy"].get<std::string>(), policy.order.empty() ? "" : part("order"),
      part("routing"), part("tie"), summary_table(report));
  if (report.contains("repetitions") && options.repeat > 1)
    text += repetitions_text(report["repetitions"]);
  if (report.contains("latency"))
    text += fmt::format("  latency          {:>14} cycles median, {} at 99 %, {} maximum\n",
                        report["latency"]["p50"].get<Tick>(), report["latency"]["p99"].get<Tick>(),
                        report["latency"]["max"].get<Tick>());
  if (report.contains("missing"))
    text += fmt::format("  missing          {:>14} packets, {} bytes\n",
                        report["missing"]["packets"].get<std::uint64_t>(),
                        report["missing"]["bytes"].get<std::uint64_t>());
  if (is_virtual(report))
    text += fmt::format("  model speed      {:>14.3e} packet-hops per CPU second\n",
                        report["packet_hops_per_cpu_s"].get<double>());
  return text;
}

/// Writes out what stdio still buffers. Throws RunFailed if it cannot be written.
void flush_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw RunFailed("cannot write to standard output; the checkpoint file is kept");
}

/// The identity of the run: everything that determines its result.
RunIdentity identity_of(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                        const RunOptions& run) {
  ResultHash numbers;
  numbers.add(machine_text(machine));
  RunIdentity identity;
  identity.add("version", "toroid",
               fmt::format("{} {} {}", kVersion, build_text(kGitHash, "/proc/self/exe"),
                           sizeof(Node) + sizeof(Exchange)));
  identity.add("machine", "machine", fmt::format("{} ({})", machine.name, numbers.text()));
  identity.add("machine", "torus", shape.text());
  const FailureList failed = shape.failures() == nullptr ? FailureList() : shape.failures()->list();
  identity.add("machine", "failed", Json({failed.links, failed.nodes, failed.long_ways}).dump());
  identity.add("seed", "seed", std::to_string(options.common.seed));
  identity.add("command", "verb", "alltoall");
  identity.add("command", "traffic", options.traffic());
  identity.add("command", "bytes", std::to_string(options.bytes));
  identity.add("command", "peers", std::to_string(options.peers));
  Json policy = Json::object();
  add_policy(policy, run, all_to_all_effects(run));
  for (const auto& [name, value] : policy.items()) identity.add("command", name, value.dump());
  if (const std::string sum = policy_sum(options.torus.policy.policy); !sum.empty())
    identity.add("policy", "policy", fmt::format("{} {}", options.torus.policy.policy, sum));
  identity.add("number of threads", "threads", std::to_string(sim_threads(shape, run)));
  return identity;
}

std::unique_ptr<Checkpoint> checkpoint_of(const AllToAllOptions& options, const Shape& shape,
                                          const Machine& machine, const RunOptions& run,
                                          TrafficExchange& exchange) {
  if (!options.checkpoint.given()) return nullptr;
  return std::make_unique<Checkpoint>(options.checkpoint, identity_of(options, shape, machine, run),
                                      exchange, options.common.quiet);
}

void refuse_policy_that_needs_all(const TrafficExchange& exchange) {
  if (const std::string why = exchange.needs_all_nodes(); !why.empty())
    throw BadInput(fmt::format("--continue-without: under policy {} {}, which may be lost",
                               exchange.plan().policy().name(), why));
}

/// Returns null if no process was lost.
std::unique_ptr<MissingMessages> check_exchange(const AllToAllOptions& options,
                                                const RunOptions& run, const Shape& shape,
                                                const TrafficExchange& exchange) {
  if (options.continue_without && !lost_processes(run.processes, shape).empty())
    return std::make_unique<MissingMessages>(run.processes, shape, exchange);
  exchange.check();
  return nullptr;
}

/// When the exchange ended on all processes, in cycles. All processes call it in the same order.
Tick exchange_end(const Emulation& emulation, const TrafficExchange& exchange) {
  return emulation.latest(std::max(emulation.programs_end(), exchange.last_arrival()));
}

/// The times of all repetitions but the last, which the caller runs, with its outputs. `under`:
/// `run` with the settings of the policy.
std::vector<Tick> earlier_times(const AllToAllOptions& options, const Traffic& traffic,
                                const Shape& shape, const Machine& machine, const RunOptions& run,
                                const RunOptions& under) {
  std::vector<Tick> times;
  for (unsigned r = 1; r < options.repeat; ++r) {
    TrafficExchange exchange(options.torus.policy.named(), traffic, shape, machine,
                             exchange_options(options, run));
    Emulation emulation(shape, machine, under, options.common.quiet, 0);
    for (Node& n : emulation.nodes()) exchange.attach(n);
    emulation.run();
    check_links(emulation.counters(), shape);
    exchange.check();
    times.push_back(exchange_end(emulation, exchange));
  }
  return times;
}

int run_on(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
           const RunOptions& run_options) {
  const bool carries_payload = run_options.fabric != FabricName::sim;
  if (options.checkpoint.given()) begin_run_that_goes_on();
  if (options.sampled() && options.peers >= shape.size())
    throw BadInput(fmt::format("--peers {}: a node of torus {} has {} peers", options.peers,
                               shape.text(), shape.size() - 1));
  const auto traffic = make_traffic(options.traffic(), shape, options.bytes, options.common.seed);
  const double arrays = carries_payload ? 2 * payload_bytes(options, *traffic, shape) : 0;
  check_memory(shape, arrays);
  RunSession session(options.common, shape, machine, run_options,
                     {.observation = options.observation,
                      .export_to = options.export_to,
                      .others = {options.checkpoint.file}});

  const Policy& policy = options.torus.policy.named();
  const RunWork work = exchange_work(policy, *traffic, shape, options.peers);
  session.announce(work * options.repeat, arrays);
  TrafficExchange exchange(policy, *traffic, shape, machine,
                           exchange_options(options, run_options));
  check_paths(exchange);
  if (options.continue_without) refuse_policy_that_needs_all(exchange);
  RunOptions under = run_options;
  under.node = exchange.node_options();
  under.node.record = run_options.node.record;
  under = moving_by(under.node.transfer, std::move(under));
  const auto checkpoint = checkpoint_of(options, shape, machine, under, exchange);
  // The limits of a sample take memory per pair, so they are computed before the nodes allocate
  // memory.
  const ExchangeLimits limits =
      session.reports() ? exchange_limits(exchange, machine, under.sim.dma) : ExchangeLimits();
  under.sim.checkpoints = checkpoint.get();
  std::vector<Tick> times = earlier_times(options, *traffic, shape, machine, run_options, under);
  Emulation emulation = session.emulation(under, packets_expected(options, *traffic, shape, work));
  for (Node& n : emulation.nodes()) {
    throw_if_interrupted();
    exchange.attach(n);
  }
  session.run([&] { emulation.run(); });
  if (checkpoint)
    emulation.add_spent(checkpoint->cpu_seconds_before(), checkpoint->wall_seconds_before());
  // The links are checked before the data, so that an error of a link is not reported as wrong
  // data.
  if (carries_payload) check_links(emulation.counters(), shape);
  const auto missing = check_exchange(options, run_options, shape, exchange);
  const bool reports = session.collect(emulation);

  times.push_back(exchange_end(emulation, exchange));
  std::ranges::sort(times);
  const Tick median = times[times.size() / 2];
  const int code = missing == nullptr ? 0 : 1;
  if (!reports) return code;
  Json report = make_report(options, shape, machine, exchange, limits, under, emulation, median);
  if (!is_virtual(report)) report["repetitions"] = repetitions_json(times, machine);
  if (missing != nullptr) report["missing"] = missing->json(emulation.counters().delivered);
  session.print(table(options, report));
  if (EmbeddingProgram* const host = embedding_program()) host->take_latency(exchange.latency());
  session.write(emulation, report);
  if (checkpoint) {
    flush_standard_output();
    checkpoint->remove();
  }
  session.check(emulation);
  if (missing != nullptr) std::fputs(missing->text().c_str(), stderr);
  return code;
}

/// The options with packets instead of puts. --continue-without needs this, because arrivals by put
/// are not counted per source.
CommonOptions in_packets(CommonOptions common) {
  common.transfer = "packets";
  return common;
}

int run(const AllToAllOptions& options) {
  RunSetup setup =
      set_up(*options.verb, {"alltoall", Sent::exchanges},
             options.continue_without ? in_packets(options.common) : options.common, options.torus);
  setup.run.frames.goes_on = options.continue_without;
  return setup.run.processes.run(
      [&] { return run_on(options, setup.shape, setup.machine, setup.run); });
}

}  // namespace

CommandRun add_alltoall_command(CLI::App& app) {
  auto options = std::make_shared<AllToAllOptions>();
  CLI::App* verb = app.add_subcommand("alltoall", "run an all-to-all or another traffic pattern");
  options->verb = verb;
  add_torus_options(*verb, options->torus);
  begin_group(*verb, "Traffic");
  verb->add_option("--traffic", options->pattern,
                   "traffic pattern; some take a parameter, e.g. lines:X or zipf:1.2")
      ->type_name("NAME")
      ->check(one_of_with_parameters("traffic", traffic_pattern_names()))
      ->capture_default_str();
  verb->add_option("--bytes", options->bytes,
                   "payload per (source, destination) pair, e.g. 480 or 1KiB; the mean if sizes of "
                   "messages differ")
      ->type_name("SIZE")
      ->transform(byte_count({.max = std::uint64_t{1} << 32}))
      ->capture_default_str();
  add_peers_option(*verb, options->peers);
  verb->add_option(
          "--sample", options->sample,
          "each node sends only to N destinations, at the same offsets from every node, drawn so "
          "that links are loaded evenly")
      ->transform(whole_number(1, 1u << 23));
  verb->add_option("--repeat", options->repeat,
                   "number of runs; the median of their times is reported, and the counters of the "
                   "last")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
  verb->add_flag("--continue-without", options->continue_without,
                 "go on if processes other than process 0 die or hang; the result then says what "
                 "is missing, and the exit code is 1");
  add_observation_options(*verb, options->observation);
  add_checkpoint_options(*verb, options->checkpoint);
  add_export_option(*verb, options->export_to);
  add_common_options(*verb, options->common);
  add_examples(*verb, {{"how close an exchange of 512 nodes gets to its bound",
                        "toroid alltoall --torus 8x8x8 --bytes 480"},
                       {"the same in rank order, which the patent argues against",
                        "toroid alltoall --torus 8x8x8 --bytes 480 --policy rank"},
                       {"a permutation of the nodes instead",
                        "toroid alltoall --torus 8x8 --traffic tornado --bytes 4800"},
                       {"in wall-clock time on this workstation",
                        "toroid alltoall --torus 4x4x2 --bytes 4KiB --fabric shm"},
                       {"the loads of links and FIFOs over time, as an HTML page",
                        "toroid alltoall --torus 4x4x4 --record run.json --quiet"},
                       {"", "toroid report run.json -o run.html"},
                       {"a long run that can be stopped with Ctrl-C and resumed by typing it again",
                        "toroid alltoall --torus 32x32x32 --checkpoint run.ckpt"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
