#include "tools/run/estimate.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/host_copy_rate.hpp"
#include "tools/run/progress.hpp"

namespace toroid {
namespace {

/// The limit of `ulimit -v` in bytes, or infinity.
double address_space() {
  rlimit own{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<double>(own.rlim_cur) : std::numeric_limits<double>::infinity();
}

}  // namespace

double present_memory() {
  const double host =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  double group = 0;  // the file contains "max" if there is no limit
  const bool is_limited = !!(std::ifstream("/sys/fs/cgroup/memory.max") >> group);
  return std::min({host, is_limited ? group : host, address_space()});
}

std::string memory_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6))
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

void check_memory(double bytes, std::string_view remedy) {
  const double present = present_memory();
  if (bytes > present)
    throw BadInput(fmt::format("needs at least {} of memory; this host has {}{}{}",
                               memory_text(bytes), memory_text(present),
                               present == address_space() ? " under ulimit -v" : "", remedy));
}

void check_memory(const Shape& shape, double array_bytes) {
  constexpr double kBytesPerNode = 2000;  // slightly less than an idle node takes
  check_memory(kBytesPerNode * shape.size() + array_bytes);
}

namespace {

// Measured on one host; other hosts may differ by a factor of 2, which is good enough for users.
constexpr double kBytesPerSimNode = 8000;   ///< 3.8 kB, plus packets in routers and a margin
constexpr double kBytesPerRingNode = 3000;  ///< without its rings
constexpr double kBytesPerQueue = 16;       ///< an output queue, empty or not
constexpr double kBytesPerDescriptor = 56;  ///< a descriptor in a queue
constexpr double kSimSpeedUp =
    0.6;  ///< speed grows as threads^this: two threads are 1.5 times as fast as one
constexpr double kFlopsPerSecond = 1e9;  ///< of one worker in transforms
/// A packet's injection and reception together take as long as this many hops.
constexpr double kHopsPerPacket = 2;
/// On wall-clock fabrics a packet's hop takes a worker as long as this many copies of its payload.
/// On the direct route (one hop and two ends) a packet takes 80 to 90 ns (docs/SHM.md); a copy
/// takes 7 ns.
constexpr double kCopiesPerHop = 4;

/// At most `most` numbers, spread evenly over 0 to count - 1.
std::vector<Rank> spread_ranks(Rank count, Rank most) {
  std::vector<Rank> ranks;
  const Rank chosen = std::min(count, most);
  for (Rank i = 0; i < chosen; ++i)
    ranks.push_back(static_cast<Rank>(std::uint64_t{i} * count / chosen));
  return ranks;
}

/// The work of a message of `packets` packets, in all stages of the policy.
RunWork message_work(const Policy& policy, const Shape& shape, Rank from, Rank to, double packets) {
  const unsigned stages = stages_of(policy, shape);
  RunWork work;
  Rank here = from;
  for (unsigned stage = 0; stage < stages && here != to; ++stage) {
    const std::uint64_t key = mix64(std::uint64_t{from} << 32 | to);
    const Rank next =
        stage + 1 == stages ? to : relay_of(policy, shape, {stage, here, from, to, key});
    if (next == here) continue;
    work += {packets, packets * minimal_hops(shape, shape.coord(here), shape.coord(next)), 0};
    here = next;
  }
  return work;
}

double packets_of_message(const Policy& policy, const Shape& shape, std::uint64_t bytes) {
  constexpr std::uint64_t kEnvelope = 8;
  if (policy.combines()) return static_cast<double>(bytes) / kPayloadBytes;
  const std::uint64_t data = kPayloadBytes - (policy.stages(shape) > 1 ? kEnvelope : 0);
  return static_cast<double>((bytes + data - 1) / data);
}

/// The model's packet-hops per second on one thread of this host at its current load.
double measured_sim_rate() {
  const Shape shape = Shape::parse("8x8x8");
  const Machine machine = Machine{};
  const auto traffic = make_traffic("sample:256", shape, kPayloadBytes, 1);
  TrafficExchange exchange(policy_by_name("random"), *traffic, shape, machine, {});
  RunOptions run;
  run.node = exchange.node_options();
  run.threads = 1;
  Emulation emulation(shape, machine, run, true, 0);
  for (Node& node : emulation.nodes()) exchange.attach(node);
  emulation.run();
  const auto packets = static_cast<double>(emulation.counters().packets);
  const auto hops = static_cast<double>(emulation.counters().packet_hops);
  return (hops + kHopsPerPacket * packets) / std::max(1e-6, emulation.wall_seconds());
}

double sim_seconds(const RunWork& work, unsigned threads) {
  constexpr double kFastest = 2e7;  // hops per second; every host is slower
  // In seconds. If a run takes longer, the host's speed is measured.
  constexpr double kWorthMeasuring = 1;
  const double hops = work.packet_hops + kHopsPerPacket * work.packets;
  const double compute = work.compute_flops / kFlopsPerSecond;
  const double least = hops / kFastest + compute;
  if (least < kWorthMeasuring) return least;
  static const double rate = measured_sim_rate();
  return (hops / rate + compute) / std::pow(threads, kSimSpeedUp);
}

double ring_seconds(const RunWork& work, RingRoute route, unsigned workers) {
  const double hops = route == RingRoute::direct ? work.packets : work.packet_hops;
  const double copies = kCopiesPerHop * (hops + kHopsPerPacket * work.packets);
  return (copies * kPayloadBytes / payload_copy_rate() + work.compute_flops / kFlopsPerSecond) /
         workers;
}

}  // namespace

RunWork& RunWork::operator+=(const RunWork& more) {
  packets += more.packets;
  packet_hops += more.packet_hops;
  compute_flops += more.compute_flops;
  return *this;
}

RunWork RunWork::operator*(double times) const {
  return {packets * times, packet_hops * times, compute_flops * times};
}

RunWork exchange_work(const Policy& policy, const Traffic& traffic, const Shape& shape,
                      Rank peers) {
  constexpr Rank kSources = 32, kTargets = 512;
  const std::vector<Rank> sources = spread_ranks(shape.size(), kSources);
  RunWork work;
  for (const Rank from : sources) {
    const std::vector<Rank> targets = traffic.targets(from);
    const std::vector<Rank> chosen = spread_ranks(static_cast<Rank>(targets.size()), kTargets);
    const auto sent = peers == 0 ? targets.size() : std::min<std::size_t>(peers, targets.size());
    RunWork mine;
    for (const Rank i : chosen)
      mine += message_work(policy, shape, from, targets[i],
                           packets_of_message(policy, shape, traffic.bytes(from, targets[i])));
    if (!chosen.empty())
      work += mine * (static_cast<double>(sent) / static_cast<double>(chosen.size()));
  }
  return work * (static_cast<double>(shape.size()) / static_cast<double>(sources.size()));
}

RunWork group_work(const Shape& shape, unsigned first, unsigned last, double packets) {
  constexpr Rank kOthers = 512;
  const Group group(shape, first, last, 0);
  double hops = 0;
  const std::vector<Rank> others = spread_ranks(group.size(), kOthers);
  for (const Rank member : others)
    hops += minimal_hops(shape, shape.coord(group.rank(0)), shape.coord(group.rank(member)));
  const auto pairs = static_cast<double>(others.size() > 1 ? others.size() - 1 : 1);
  return {packets, packets * hops / pairs, 0};
}

/// Memory of the output queues of all nodes, if each queue has at most one descriptor. Up to 32
/// queues per node count as 0, since the memory of a node includes them.
double queue_bytes(const RunWork& work, const Shape& shape, const RunOptions& run) {
  constexpr unsigned kFew = 32;
  const unsigned queues = run.node.changes.output_queues.value_or(run.node.settings.output_queues);
  if (queues <= kFew) return 0;
  const double all = static_cast<double>(queues) * shape.size();
  return kBytesPerQueue * all + kBytesPerDescriptor * std::min(all, work.packets);
}

RunEstimate estimate_run(const RunWork& work, const Shape& shape, const Machine& machine,
                         const RunOptions& run, double array_bytes) {
  const double own_bytes = array_bytes + queue_bytes(work, shape, run);
  if (run.fabric == FabricName::sim)
    return {sim_seconds(work, sim_threads(shape, run)),
            own_bytes + kBytesPerSimNode * shape.size()};
  const auto workers = static_cast<unsigned>(placement_of(shape, run).workers.size());
  const double rings = ring_bytes(shape, machine, workers, run.ring.route);
  const unsigned processes = run.processes.count();
  return {ring_seconds(work, run.ring.route, workers * processes),
          (own_bytes + rings + kBytesPerRingNode * shape.size()) / processes};
}

void announce(const RunEstimate& expected, bool quiet) {
  constexpr double kLong = 5, kGoodPart = 0.1;
  check_memory(expected.bytes,
               expected.runs_at_once > 1
                   ? fmt::format(" for {} runs at once; lower --threads", expected.runs_at_once)
                   : "");
  if (quiet || (expected.seconds < kLong && expected.bytes < kGoodPart * present_memory())) return;
  std::fputs(fmt::format("toroid: expects to take about {} and {} of memory\n",
                         duration_text(expected.seconds), memory_text(expected.bytes))
                 .c_str(),
             stderr);
}

}  // namespace toroid
