#include "tools/transform/run.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "fft/layout/node_layout.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/blob.hpp"
#include "tools/run/host_copy_rate.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/transform/digit_order.hpp"

namespace toroid {
namespace {

/// Wall-clock seconds that `work` takes.
template <typename Work>
double seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One node's part of a run.
struct Side {
  Side(Node& node, const TransformJob& job)
      : plan(node, job.blueprint),
        job(&job),
        in(static_cast<std::size_t>(in_layout().extent()), job.takes_real(), precision()),
        out(static_cast<std::size_t>(out_layout().extent()), job.gives_real(), precision()),
        spectrum(job.loops == 0 ? 0 : static_cast<std::size_t>(plan.output_layout().extent()),
                 job.blueprint->real_out(), precision()) {}

  fft::Precision precision() const { return job->blueprint->description().precision; }
  const fft::NodeLayout& in_layout() const {
    return job->way == fft::Way::forward ? plan.input_layout() : plan.output_layout();
  }
  const fft::NodeLayout& out_layout() const {
    return job->last_way() == fft::Way::forward ? plan.output_layout() : plan.input_layout();
  }
  PerformAwaiter call() {
    const fft::ConstArray from = std::as_const(in).view();
    if (job->way == fft::Way::forward) return plan.forward(from, out.view(), job->scale);
    return plan.backward(from, out.view(), job->scale);
  }
  /// The first half of a loop. It begins with the result of the previous loop, if there is one.
  PerformAwaiter call_forward(bool first) {
    return plan.forward(std::as_const(first ? in : out).view(), spectrum.view());
  }
  PerformAwaiter call_backward() {
    return plan.backward(std::as_const(spectrum).view(), out.view(), job->scale);
  }
  void multiply() {
    if (job->factor) fft::multiply_spectrum(plan, spectrum.view(), job->factor);
  }
  void note_times() { times.insert(times.end(), plan.times().begin(), plan.times().end()); }

  fft::Plan plan;
  const TransformJob* job;
  NodeArray in;
  NodeArray out;
  NodeArray spectrum;                    ///< between the halves of a loop; empty if no loop
  std::vector<fft::StageTimes> times{};  ///< [repetition][transform][stage]
};

Program run_side(Node&, Side& side) {
  for (unsigned r = 0; r < side.job->repeat; ++r) {
    co_await side.call();
    side.note_times();
  }
}

Program run_loops(Node&, Side& side) {
  const unsigned loops = side.job->loops;
  for (unsigned i = 0; i < side.job->repeat * loops; ++i) {
    const bool first = i % loops == 0;
    co_await side.call_forward(first);
    side.note_times();
    side.multiply();
    co_await side.call_backward();
    side.note_times();
  }
}

/// A node's weight in averages.
struct Shares {
  double of_nodes;
  double of_processors;
};

/// Adds the consecutive parts of a node's program. `busy` has the indices of the stages that
/// transform something, in the order of the call; the other stages only exchange.
void add_blocks(std::span<const fft::StageTimes> times, std::span<const std::size_t> busy,
                double share, Blocks& blocks) {
  const auto ticks = [share](Tick sum) { return share * static_cast<double>(sum); };
  for (std::size_t s = 0; s < times.size(); ++s) {
    blocks.waits += ticks(times[s].waiting);
    if (s > 0) blocks.waits += ticks(times[s].exchanged - times[s - 1].computed);
  }
  if (busy.empty()) return;
  const fft::StageTimes& first = times[busy.front()];
  const fft::StageTimes& last = times[busy.back()];
  const Tick loop = first.computed - first.exchanged - first.waiting;
  blocks.plane_loop += ticks(loop);
  if (busy.size() > 1) blocks.last_axis += ticks(last.computed - last.exchanged - last.waiting);
}

/// Adds the kinds of work of a node. `first` is the stage whose transforms hide exchanges.
void add_work(std::span<const fft::StageTimes> times, std::size_t first, double share,
              Blocks& blocks) {
  for (std::size_t s = 0; s < times.size(); ++s) {
    const double pack = share * static_cast<double>(times[s].packing);
    const double unpack = share * static_cast<double>(times[s].unpacking);
    blocks.compute += share * static_cast<double>(times[s].computing);
    blocks.pack += pack;
    blocks.unpack += unpack;
    if (s > first)
      blocks.exposed += pack + unpack - share * static_cast<double>(times[s].overlapped);
  }
}

void collect(std::span<const fft::StageTimes> times, std::span<const std::size_t> busy,
             const Shares& shares, Repetition& repetition) {
  for (std::size_t s = 0; s < times.size(); ++s) {
    StageSpan& span = repetition.stages[s];
    span.begin = std::min(span.begin, times[s].begin);
    span.exchanged = std::max(span.exchanged, times[s].exchanged);
    span.end = std::max(span.end, times[s].computed);
  }
  add_blocks(times, busy, shares.of_nodes, repetition.blocks);
  add_work(times, busy.empty() ? 0 : busy.front(), shares.of_processors, repetition.blocks);
}

/// Results of one node.
struct NodeResult {
  Rank rank;
  std::span<const fft::StageTimes> times;
  std::span<const std::byte> output;
};

/// Appends a node's result for another process: rank, times and output, padded to a multiple of 8
/// bytes.
void pack(const NodeResult& result, Blob& blob) {
  const std::uint64_t rank = result.rank;
  for (const auto bytes :
       {std::as_bytes(std::span(&rank, 1)), std::as_bytes(result.times), result.output})
    blob.insert(blob.end(), bytes.begin(), bytes.end());
  blob.resize((blob.size() + 7) / 8 * 8);
}

/// Combines the results of all nodes.
class Results {
 public:
  /// `processors` is the number of nodes in virtual time, otherwise the number of worker threads in
  /// all processes.
  Results(const TransformJob& job, unsigned processors)
      : job_(job),
        stages_(job.blueprint->stages().size() * job.ways().size()),
        shares_{1.0 / job.blueprint->shape().size(), 1.0 / processors} {
    const fft::Index& extents = job.out_extents();
    outcome_.result.size.assign(extents.begin(),
                                extents.begin() + job.blueprint->description().size.size());
    outcome_.result.batch = extents[fft::kBatchAxis];
    const auto volume = static_cast<std::size_t>(fft::Box::of(extents).volume());
    if (job.raw_bytes > 0)
      outcome_.result.raw = {{}, job.raw_bytes, std::vector<std::byte>(volume * job.raw_bytes)};
    else
      outcome_.result.values.resize(volume);
    for (unsigned r = 0; r < job.repeat; ++r) outcome_.repetitions.emplace_back(stages_);
    for (std::size_t s = 0; s < stages_; ++s)
      if (!stage(s).is_empty()) busy_.push_back(s);
  }

  void add(const NodeResult& result) {
    for (std::size_t r = 0; r < outcome_.repetitions.size(); ++r)
      collect(result.times.subspan(r * stages_, stages_), busy_, shares_, outcome_.repetitions[r]);
    NodeArray part = array_of(result.rank);
    std::ranges::copy(result.output, part.view().data);
    put_part(outcome_.result, layout(result.rank), part);
  }
  /// Adds the results that pack() has appended to a blob.
  void add_packed(std::span<const std::byte> blob) {
    while (!blob.empty()) {
      const auto rank = static_cast<Rank>(take<std::uint64_t>(blob, 1).front());
      const auto times = take<fft::StageTimes>(blob, outcome_.repetitions.size() * stages_);
      const std::size_t bytes = array_of(rank).bytes().size();
      const auto output = take<std::uint64_t>(blob, (bytes + 7) / 8);
      add({rank, times, std::as_bytes(output).first(bytes)});
    }
  }
  Outcome finish() && {
    for (Repetition& repetition : outcome_.repetitions) {
      Blocks& blocks = repetition.blocks;
      blocks.communication =
          static_cast<double>(repetition.cycles()) - blocks.compute - blocks.pack - blocks.unpack;
      blocks.exposed += blocks.communication;
    }
    std::ranges::sort(outcome_.repetitions, {}, &Repetition::cycles);
    return std::move(outcome_);
  }

 private:
  /// The stage with this number. The stages of all transforms of a repetition are numbered in the
  /// order in which they run.
  const fft::Stage& stage(std::size_t number) const {
    const auto stages = job_.blueprint->stages();
    const std::size_t place = number % stages.size();
    const bool forward = job_.ways()[number / stages.size()] == fft::Way::forward;
    return stages[forward ? place : stages.size() - 1 - place];
  }
  fft::NodeLayout layout(Rank rank) const {
    const auto stages = job_.blueprint->stages();
    return (job_.last_way() == fft::Way::forward ? stages.back().out : stages.front().in)
        .layout(rank);
  }
  NodeArray array_of(Rank rank) const {
    return {static_cast<std::size_t>(layout(rank).extent()), job_.gives_real(),
            job_.blueprint->description().precision};
  }
  /// Takes the next values from the front of a blob, without a copy.
  template <typename T>
  static std::span<const T> take(std::span<const std::byte>& blob, std::size_t count) {
    static_assert(alignof(T) <= 8 && std::is_trivially_copyable_v<T>);
    TOROID_CHECK_LE(count * sizeof(T), blob.size());
    const std::span values(reinterpret_cast<const T*>(blob.data()), count);
    blob = blob.subspan(count * sizeof(T));
    return values;
  }

  const TransformJob& job_;
  std::size_t stages_;
  Shares shares_;
  std::vector<std::size_t> busy_;  ///< numbers of the stages that transform something
  Outcome outcome_;
};

/// The bytes of arrays in the process that has the most. All processes call this function.
double bytes_per_process(const Processes& processes, const std::deque<Side>& sides) {
  std::size_t bytes = 0;
  for (const Side& side : sides)
    bytes += side.in.bytes().size() + side.out.bytes().size() + side.spectrum.bytes().size() +
             side.plan.array_bytes();
  const std::vector<double> all = processes.numbers(static_cast<double>(bytes));
  return *std::ranges::max_element(all);
}

Outcome outcome_of(const Emulation& emulation, const std::deque<Side>& sides,
                   const TransformJob& job) {
  const Processes& processes = emulation.processes();
  Results results(job, emulation.processors());
  Blob packed;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const NodeResult result{emulation.nodes()[i].rank(), sides[i].times, sides[i].out.bytes()};
    if (processes.reports())
      results.add(result);
    else
      pack(result, packed);
  }
  for (const Blob& blob : processes.gather(std::move(packed))) results.add_packed(blob);
  return std::move(results).finish();
}

}  // namespace

const fft::Index& TransformJob::in_extents() const {
  return way == fft::Way::forward ? blueprint->in_extents() : blueprint->out_extents();
}
const fft::Index& TransformJob::out_extents() const {
  return last_way() == fft::Way::forward ? blueprint->out_extents() : blueprint->in_extents();
}
std::vector<fft::Way> TransformJob::ways() const {
  std::vector<fft::Way> ways;
  for (unsigned loop = 0; loop < loops; ++loop)
    ways.insert(ways.end(), {fft::Way::forward, fft::Way::backward});
  if (loops == 0) ways.push_back(way);
  return ways;
}

namespace {

/// How the messages of all exchanges move. All exchanges have the same mode, because the bounds
/// assume this.
TransferMode transfer_under_policy(const RunOptions& run, const fft::Blueprint& blueprint) {
  TransferMode transfer = run.node.transfer;
  for (const fft::StageExchange& exchange : blueprint.exchanges())
    transfer = transfer_under(*run.node.policy,
                              blueprint.shape().slice(exchange.first, exchange.last), transfer);
  return transfer;
}

}  // namespace

RunOptions under_policy(RunOptions run, const fft::Blueprint& blueprint, const Machine& machine) {
  constexpr unsigned kOrbitalQueues = fft::OrbitalBase::kOutputQueues;
  run.node = fft::node_options(blueprint, machine, run.node);
  if (run.sim.dma) run = moving_by(transfer_under_policy(run, blueprint), std::move(run));
  const bool is_orbital = blueprint.description().method == fft::Method::orbital;
  if (is_orbital && !run.node.changes.output_queues && !run.node.settings.queue_per_direction)
    run.node.settings.output_queues = std::max(kOrbitalQueues, run.node.settings.output_queues);
  return run;
}

namespace {

/// The peers of a node in the exchanges that go straight to their destinations, and the neighbours
/// to which an orbital stage passes blocks.
std::vector<Rank> peers_in(const TransformJob& job, const Policy& policy, Rank node) {
  const fft::Blueprint& blueprint = *job.blueprint;
  const Shape whole = blueprint.shape().without_failures();
  std::vector<Rank> peers;
  for (std::size_t e = 0; e < blueprint.exchanges().size(); ++e) {
    const fft::StageExchange& exchange = blueprint.exchanges()[e];
    if (relays_or_combines(policy, whole.slice(exchange.first, exchange.last))) continue;
    const Group group = exchange.group(whole, node);
    for (const fft::Way way : job.ways())
      for (const Rank to : blueprint.traffic(e, way, node).targets(group.self()))
        peers.push_back(group.rank(to));
  }
  const auto stages = blueprint.stages();
  if (std::ranges::any_of(stages, &fft::Stage::is_orbital))
    for (std::uint8_t l = 0; l < whole.links(); ++l)
      if (const auto next = whole.neighbour(node, {l})) peers.push_back(*next);
  return peers;
}

}  // namespace

void check_paths(const TransformJob& job, const RunOptions& under) {
  check_paths(job.blueprint->shape(), under.node.settings.routing,
              [&](Rank node) { return peers_in(job, *under.node.policy, node); });
}

Sent sent_by(fft::Method method, fft::Layer layer, fft::OrbitalVariant variant) {
  if (method == fft::Method::orbital)
    return variant == fft::OrbitalVariant::cra ? Sent::shifts : Sent::streams;
  return layer == fft::Layer::packets ? Sent::exchanges : Sent::streams;
}

PolicyEffects transform_effects(fft::Method method, const RunOptions& run, fft::Layer layer,
                                fft::OrbitalVariant variant) {
  return policy_effects(sent_by(method, layer, variant), run.fabric, run.ring.route);
}

Outcome transform(Emulation& emulation, const TransformJob& job, const HostArray& array) {
  const bool by_digits = is_by_digits(*job.blueprint);
  HostArray spectrum;
  if (by_digits && job.way == fft::Way::backward) spectrum = to_digits(*job.blueprint, array);
  const HostArray& input = spectrum.size.empty() ? array : spectrum;
  std::deque<Side> sides;
  double allocate_s = 0;
  for (Node& node : emulation.nodes()) {
    throw_if_interrupted();
    allocate_s += seconds([&] { sides.emplace_back(node, job); });
    take_part(input, sides.back().in_layout(), sides.back().in);
    node.run(job.loops == 0 ? run_side(node, sides.back()) : run_loops(node, sides.back()));
  }
  emulation.run();
  Outcome outcome = outcome_of(emulation, sides, job);
  if (by_digits && job.last_way() == fft::Way::forward && emulation.processes().reports())
    outcome.result = from_digits(*job.blueprint, outcome.result);
  outcome.processors = emulation.processors();
  const auto shifted = sides.front().plan.numbers_shifted();
  outcome.numbers_shifted.assign(shifted.begin(), shifted.end());
  const auto times = sides.front().plan.orbital_times();
  outcome.orbital_times.assign(times.begin(), times.end());
  outcome.bytes_per_process = bytes_per_process(emulation.processes(), sides);
  const auto nodes = static_cast<double>(sides.size());
  outcome.allocate_s = allocate_s / nodes;
  outcome.deallocate_s = seconds([&] { sides.clear(); }) / nodes;
  return outcome;
}

double bytes_of_array(const fft::Blueprint& blueprint, const fft::Index& extents, bool real) {
  return static_cast<double>(fft::Box::of(extents).volume()) * blueprint.bytes(real);
}

/// A policy of tables knows the shapes of the exchanges, but not that of the whole torus.
fft::Movement movement_of(const RunOptions& under, const fft::Blueprint& blueprint) {
  const Policy* const policy = under.node.policy;
  const auto keeps_to_shortest_ways = [&](const fft::StageExchange& exchange) {
    return policy->keeps_to_shortest_ways(blueprint.shape().slice(exchange.first, exchange.last));
  };
  return {.by_engines = under.sim.dma,
          .is_combined = policy->combines(),
          .is_shortest = std::ranges::all_of(blueprint.exchanges(), keeps_to_shortest_ways)};
}

PlanBounds bounds_of(const fft::Blueprint& blueprint, std::span<const fft::Way> ways,
                     const Machine& machine, const fft::Movement& movement) {
  fft::TransformBounds transform(blueprint, machine, ways.front(), movement);
  PlanBounds bounds;
  for (const fft::Way way : ways) {
    transform.begin(way);
    for (std::size_t s = 0; s < blueprint.stages().size(); ++s) {
      throw_if_interrupted();
      const fft::ExchangeBounds exchange = transform.add_stage();
      bounds.stages.push_back({exchange.bounds, exchange.packets, exchange.payload_bytes});
      bounds.total.packets += exchange.packets;
      bounds.total.payload_bytes += exchange.payload_bytes;
    }
  }
  bounds.total.bounds = transform.total();
  bounds.paper_model = transform.paper_model();
  bounds.array_bytes =
      std::max(bytes_of_array(blueprint, blueprint.in_extents(), blueprint.real_in()),
               bytes_of_array(blueprint, blueprint.out_extents(), blueprint.real_out()));
  return bounds;
}

PlanBounds bounds_of(const fft::Blueprint& blueprint, fft::Way way, const Machine& machine,
                     const fft::Movement& movement) {
  return bounds_of(blueprint, std::span(&way, 1), machine, movement);
}

Timing plan_timing(const PlanBounds& bounds, const Machine& machine, const Emulation& emulation,
                   bool is_virtual, Tick cycles) {
  const Bounds& total = bounds.total.bounds;
  if (is_virtual) return virtual_timing(cycles, binding(total), total.hottest_link, machine);
  const double packets = exchange_copy_seconds(static_cast<double>(bounds.total.payload_bytes),
                                               emulation.workers(), emulation.transfer());
  const double array = copy_seconds(bounds.array_bytes, emulation.workers());
  return wall_clock_timing(static_cast<double>(cycles) / machine.clock_hz,
                           std::max(packets, array));
}

}  // namespace toroid
