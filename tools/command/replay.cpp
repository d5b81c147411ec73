// toroid replay: sends the messages of a file. Each message starts when the messages that it
// depends on have arrived.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/replay/replay.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/schedule_file.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/flowchart_json.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/run/replay_bounds.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/run_session.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/json.hpp"

namespace toroid {
namespace {

constexpr HandlerId kReplayHandler = kFirstUserHandler;

struct ReplayCommandOptions {
  CommonOptions common;
  TorusOptions torus;
  ObservationOptions observation;
  std::string file;
  const CLI::App* verb = nullptr;
};

Json replay_bounds_json(const ReplayBounds& bounds) {
  return {{"hottest_link", bounds.traffic.hottest_link},
          {"injection", bounds.traffic.injection},
          {"processor", bounds.traffic.processor},
          {"zero_load", bounds.traffic.zero_load},
          {"critical_path", bounds.critical_path}};
}

/// Percentiles of the latency of messages, in cycles. The latency of a message is the time from its
/// start until all of it has arrived.
Json message_latency_json(const MessageTimes& times) {
  std::vector<Tick> latencies(times.begun.size());
  std::ranges::transform(times.ended, times.begun, latencies.begin(), std::minus());
  std::ranges::sort(latencies);
  const auto part = [&](std::size_t percent) {
    if (latencies.empty()) return Tick{0};
    return latencies[(latencies.size() * percent + 99) / 100 - 1];
  };
  return {{"p50", part(50)}, {"p99", part(99)}, {"max", part(100)}};
}

/// [rank]: the nodes to which it sends messages.
std::vector<std::vector<Rank>> peers_by_rank(const ScheduleGraph& graph, const Shape& shape) {
  std::vector<std::vector<Rank>> peers(shape.size());
  for (const ScheduleMessage& message : graph.messages()) peers[message.from].push_back(message.to);
  return peers;
}

/// One run of the command in one process.
class ReplayCommand {
 public:
  ReplayCommand(const ReplayCommandOptions& options, const RunSetup& setup)
      : options_(options),
        shape_(setup.shape),
        machine_(setup.machine),
        run_(setup.run),
        effects_(setup.effects),
        graph_(read_schedule(options.file, setup.shape.size())),
        sums_(message_sums(graph_)),
        times_(graph_) {}

  int run() {
    RunSession session(options_.common, shape_, machine_, run_,
                       {.observation = options_.observation, .others = {options_.file}});
    check_paths(shape_, run_.node.settings.routing,
                [peers = peers_by_rank(graph_, shape_)](Rank from) { return peers[from]; });
    if (is_sim()) (void)replay_bounds(graph_, shape_, machine_);  // refuses times that are too long
    session.announce(replay_work(graph_, shape_),
                     is_sim() ? 0 : 2 * static_cast<double>(sums_.bytes));
    Emulation emulation = session.emulation(run_, sums_.packets);
    std::deque<Replay> replays;
    for (Node& node : emulation.nodes()) {
      throw_if_interrupted();
      Replay& replay = replays.emplace_back(node, kReplayHandler, graph_, times_, replay_options());
      node.run(Replay::program(node, replay));
    }
    session.run([&] { emulation.run(); });
    const Tick end = emulation.latest(emulation.programs_end());
    if (!session.collect(emulation)) return 0;
    const Json report = make_report(emulation, end);
    session.print(table(report));
    session.write(emulation, report);
    session.check(emulation);
    return 0;
  }

 private:
  bool is_sim() const { return run_.fabric == FabricName::sim; }
  ReplayOptions replay_options() const { return {run_.node.settings.packets_per_visit, !is_sim()}; }

  Json make_report(const Emulation& emulation, Tick cycles) const {
    ResultHash hash;
    Json report = report_head("replay", options_.common, shape_, machine_);
    report.update({{"file", options_.file},
                   {"ranks", graph_.ranks()},
                   {"messages", graph_.messages().size()},
                   {"bytes", sums_.bytes}});
    add_policy(report, run_, effects_);
    add_workers(report, emulation);
    add_timing(report, replay_timing(graph_, shape_, machine_, emulation, is_sim(), cycles));
    if (is_sim()) {
      report["bounds"] = replay_bounds_json(replay_bounds(graph_, shape_, machine_));
      report["latency_cycles"] = message_latency_json(times_);
    }
    add_counters(report, hash, {emulation.counters(), shape_, machine_, cycles});
    report["profile"] = profile_json(emulation.profile(), shape_);
    add_hash(report, hash);
    // On ofi latencies are unknown: sender and receiver may be in processes with different clocks.
    if (run_.fabric == FabricName::shm) report["latency_s"] = latency_seconds();
    add_wall_clock(report, emulation);
    return report;
  }

  std::string table(const Json& report) const {
    std::string text =
        fmt::format("replay of {}: {} messages of {} ranks, {} bytes\n{}", options_.file,
                    graph_.messages().size(), graph_.ranks(), sums_.bytes, summary_table(report));
    if (report.contains("latency_cycles")) {
      const Json& latency = report["latency_cycles"];
      text += fmt::format("  message latency  {:>14} cycles p50, {} p99, {} max\n",
                          latency["p50"].get<Tick>(), latency["p99"].get<Tick>(),
                          latency["max"].get<Tick>());
    }
    if (report.contains("latency_s")) {
      const Json& latency = report["latency_s"];
      text += fmt::format("  message latency  {:>14.3e} s p50, {:.3e} p99, {:.3e} max\n",
                          latency["p50"].get<double>(), latency["p99"].get<double>(),
                          latency["max"].get<double>());
    }
    return text;
  }

  Json latency_seconds() const {
    Json latency = message_latency_json(times_);
    for (Json& figure : latency) figure = figure.get<double>() / machine_.clock_hz;
    return latency;
  }

  const ReplayCommandOptions& options_;
  const Shape& shape_;
  const Machine& machine_;
  const RunOptions& run_;
  PolicyEffects effects_;
  ScheduleGraph graph_;
  MessageSums sums_;
  MessageTimes times_;
};

int run_replay(const ReplayCommandOptions& options) {
  RunSetup setup = set_up(*options.verb, {"replay", Sent::messages}, options.common, options.torus);
  setup.run = under_policy(std::move(setup.run), setup.shape, setup.machine);
  return setup.run.processes.run([&] { return ReplayCommand(options, setup).run(); });
}

}  // namespace

CommandRun add_replay_command(CLI::App& app) {
  auto options = std::make_shared<ReplayCommandOptions>();
  CLI::App* verb = app.add_subcommand("replay", "send the messages of a schedule file");
  options->verb = verb;
  verb->add_option("FILE", options->file,
                   "FILE.goal (LogGOPSim's text) or FILE.csv (time,src,dst,bytes; time in seconds)")
      ->required()
      ->check(not_empty());
  add_torus_options(*verb, options->torus);
  add_observation_options(*verb, options->observation);
  add_common_options(*verb, options->common);
  add_examples(*verb, {{"a transform's messages as a file",
                        "toroid fft --size 16 --torus 2x2x2 --export run.goal --quiet"},
                       {"the messages on another shape", "toroid replay run.goal --torus 4x2"}});
  return [options] { return run_replay(*options); };
}

}  // namespace toroid
