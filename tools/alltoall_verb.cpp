// toroid alltoall: every node sends a message to every other; how close to the bound does it get?
#include "hal/bounds.hpp"
#include "packet/block_messages.hpp"
#include "tools/choice.hpp"
#include "tools/host_bound.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHandler = kFirstUserHandler;

struct AllToAllOptions {
  CommonOptions common;
  TorusOptions torus;
  std::uint64_t bytes = 240;
  std::uint32_t per_visit = 0;  ///< 0: as it suits the fabric
  Rank peers = 0;               ///< 0: all

  bool sampled() const { return peers != 0; }
  /// Whether a node leaves out any of `all` peers.
  bool leaves_out(Rank all) const { return sampled() && peers < all; }
  AllToAllSchedule schedule(FabricName fabric) const {
    return {per_visit != 0 ? per_visit : packets_per_visit(fabric), sampled() ? peers : ~Rank{0}};
  }
};

/// Of a sample nobody knows how many packets come to a node: the run's end is the exchange's.
Program all_to_all_program(Node& node, AllToAll& exchange, bool sampled) {
  exchange.start();
  const std::uint64_t expected = sampled ? 0 : exchange.expected();
  co_await node.until(exchange.received(), expected);
}

/// A sample is bounded by the links' mean load: what the dimension with the most traffic carried,
/// which minimal routing cannot change, spread evenly over its links.
Tick mean_load_cycles(const FabricCounters& counters, const Shape& shape, const Machine& machine) {
  Tick most = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    std::uint64_t bytes = 0;
    for (std::size_t l = 2 * d; l < counters.links.size(); l += shape.links())
      bytes += counters.links[l].wire_bytes + counters.links[l + 1].wire_bytes;
    const std::uint64_t k = shape.extent(d);
    const std::uint64_t links = 2 * std::uint64_t{shape.size()} / k * (shape.wraps(d) ? k : k - 1);
    if (links > 0) most = std::max(most, machine.wire_cycles(bytes / links));
  }
  return most;
}

Bounds bounds_of(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                 const FabricCounters& counters) {
  const MessageCost message = message_cost(machine, options.bytes);
  Bounds bounds = all_to_all_bounds(machine, shape, message);
  if (!options.leaves_out(shape.size() - 1)) return bounds;
  bounds.hottest_link = mean_load_cycles(counters, shape, machine);
  bounds.injection = machine.wire_cycles(options.peers * message.wire_bytes / usable_links(shape));
  bounds.processor = options.peers * message.packets * machine.inject_cycles;
  // Nobody need send to the far side of the machine.
  const Tick spared = (diameter(shape) - 1) * Tick{machine.hop_latency_cycles};
  bounds.zero_load -= std::min(bounds.zero_load, spared);
  return bounds;
}

/// Notes when the last packet came, which ends a sample.
class TimedMessages final : public UniformMessages {
 public:
  TimedMessages(const Node& node, std::uint64_t bytes)
      : UniformMessages(node.size(), bytes), node_(&node) {}
  void arrive(const Packet&) override { last_arrival_ = node_->now(); }
  Tick last_arrival() const { return last_arrival_; }

 private:
  const Node* node_;
  Tick last_arrival_ = 0;
};

Json bounds_json(const Bounds& bounds) {
  return {{"hottest_link", bounds.hottest_link},
          {"injection", bounds.injection},
          {"processor", bounds.processor},
          {"zero_load", bounds.zero_load}};
}

/// The messages of all nodes: payload travels where it costs something to move it.
class Traffic {
 public:
  Traffic(const AllToAllOptions& options, const Shape& shape, bool carries_payload)
      : options_(options), shape_(shape), carries_payload_(carries_payload) {}

  Messages& add(Node& node) {
    if (!carries_payload_) return timed_.emplace_back(node, options_.bytes);
    BlockMessages& blocks =
        blocks_.emplace_back(node.rank(), BlockMessages(shape_.size(), node.rank(), options_.bytes))
            .second;
    for (Rank r = 0; r < shape_.size(); ++r) fill(blocks.to(r), node.rank(), r);
    blocks.copy_own();
    return blocks;
  }
  Tick last_arrival() const {
    Tick last = 0;
    for (const TimedMessages& m : timed_) last = std::max(last, m.last_arrival());
    return last;
  }
  /// Throws RunFailed where a byte has not arrived.
  void check() const {
    for (const auto& [to, blocks] : blocks_)
      for (Rank from = 0; from < shape_.size(); ++from) check(from, to, blocks);
  }

 private:
  void fill(std::span<std::byte> block, Rank from, Rank to) const {
    Random random(options_.common.seed, std::uint64_t{from} << 32 | to);
    for (std::byte& b : block) b = static_cast<std::byte>(random.next() >> 56);
  }
  void check(Rank from, Rank to, const BlockMessages& blocks) const {
    std::vector<std::byte> expected(options_.bytes);
    fill(expected, from, to);
    if (std::ranges::equal(expected, blocks.from(from))) return;
    throw RunFailed(fmt::format("what {} sent to {} has not arrived as it was",
                                shape_.coord_text(from), shape_.coord_text(to)));
  }

  const AllToAllOptions& options_;
  const Shape& shape_;
  bool carries_payload_;
  std::deque<TimedMessages> timed_;
  std::deque<std::pair<Rank, BlockMessages>> blocks_;
};

Timing timing_of(const AllToAllOptions& options, const Bounds& bounds, Rank nodes,
                 const Machine& machine, const Emulation& emulation, Tick cycles) {
  if (options.common.fabric == "sim") return {cycles, bounds.max(), bounds.hottest_link};
  const Tick copies = copy_bound(machine, static_cast<double>(options.bytes) * nodes * (nodes - 1),
                                 emulation.workers());
  return {cycles, copies, copies};
}

Json make_report(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
                 const Emulation& emulation, Tick cycles) {
  const Bounds bounds = bounds_of(options, shape, machine, emulation.counters());
  ResultHash hash;
  Json report = report_head("alltoall", options.common, shape, machine);
  report.update({{"bytes", options.bytes},
                 {"order", options.torus.order},
                 {"routing", options.torus.routing},
                 {"tie", options.torus.tie},
                 {"transit_first", !options.torus.no_transit_first}});
  if (options.sampled()) report["peers"] = options.peers;
  add_workers(report, options.common, emulation);
  add_timing(report, timing_of(options, bounds, shape.size(), machine, emulation, cycles), machine);
  if (is_virtual(report)) report["bounds"] = bounds_json(bounds);
  add_counters(report, hash, emulation.counters(), shape, machine, cycles);
  if (!options.sampled()) report["links"]["bound_messages"] = hottest_link_messages(shape).value();
  add_hash(report, hash);
  add_wall_clock(report, emulation);
  return report;
}

void print_table(const AllToAllOptions& options, const Json& report) {
  fmt::print("all-to-all, {} bytes per pair, order {}, routing {}, tie {}\n{}", options.bytes,
             options.torus.order, options.torus.routing, options.torus.tie, summary_table(report));
  fmt::print("  model speed      {:>14.3e} packet-hops per CPU second\n",
             report["packet_hops_per_cpu_s"].get<double>());
}

int run_on(const AllToAllOptions& options, const Shape& shape, const Machine& machine,
           const RunOptions& run_options) {
  const bool reports = run_options.processes.reports();
  const bool carries_payload = run_options.fabric != FabricName::sim;
  if (carries_payload && options.sampled())
    throw BadInput("--peers is for --fabric sim; elsewhere everybody sends to everybody");
  const double pairs = static_cast<double>(shape.size()) * shape.size();
  check_memory(shape, carries_payload ? 2 * pairs * static_cast<double>(options.bytes) : 0);
  JsonOutput json(reports ? options.common.json : "");

  const AllToAllSchedule schedule = options.schedule(run_options.fabric);
  const UniformMessages message(shape.size(), options.bytes);
  Emulation emulation(shape, machine, run_options, options.common.quiet,
                      std::uint64_t{std::min(schedule.peers, shape.size() - 1)} *
                          message.most_packets() * shape.size());
  Traffic traffic(options, shape, carries_payload);
  std::deque<AllToAll> exchanges;
  for (Node& n : emulation.nodes()) {
    throw_if_interrupted();
    AllToAll& exchange =
        exchanges.emplace_back(n, kHandler, Group::all(shape, n.rank()), traffic.add(n), schedule);
    n.run(all_to_all_program(n, exchange, options.sampled()));
  }
  emulation.run();
  traffic.check();

  const Tick end = emulation.latest(std::max(emulation.programs_end(), traffic.last_arrival()));
  if (!reports) return 0;
  const Json report = make_report(options, shape, machine, emulation, end);
  if (!options.common.quiet && !json.to_standard_output()) print_table(options, report);
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

Verb add_alltoall_verb(CLI::App& app) {
  auto options = std::make_shared<AllToAllOptions>();
  CLI::App* verb = app.add_subcommand("alltoall", "an all-to-all exchange beside its bound");
  add_torus_options(*verb, options->torus);
  verb->add_option("--bytes", options->bytes, "payload per (source, destination) pair")
      ->transform(whole_number(0, std::uint64_t{1} << 32))
      ->capture_default_str();
  verb->add_option("--per-visit", options->per_visit,
                   "packets per visit of a peer: the patent's b; 1 on sim, else 32")
      ->transform(whole_number(1, 1u << 24));
  verb->add_option("--peers", options->peers,
                   "on sim: each node sends only to the first so many of its order, a sample")
      ->transform(whole_number(1, 1u << 24));
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
