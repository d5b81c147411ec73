// No time is below its bound, and the named bound is the largest of its parts.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tests/scale.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using Parts = std::vector<std::pair<std::string, Tick>>;  ///< name, cycles

const Machine kBgl;
const std::vector<std::string> kSmallToruses = {"1",     "2",      "2m",   "5",    "4m",
                                                "1x3",   "2x2",    "3x4",  "3mx2", "5x1x2",
                                                "2x2x2", "3x2mx2", "4x4m", "7x2",  "2x2x2x2"};

/// The largest part. If several parts are equally large, the first of them.
std::pair<std::string, Tick> largest(const Parts& parts) {
  return *std::ranges::max_element(parts, {}, &Parts::value_type::second);
}

void expect_bound(const json& report, const Parts& parts, const std::string& which) {
  const auto [by, cycles] = largest(parts);
  EXPECT_EQ(report["bound_cycles"], cycles) << which;
  EXPECT_EQ(report["bound_by"], by) << which;
}

/// Checks the bound of a result or row. Its time is virtual if it has cycles.
void expect_holds(const json& row, const std::string& which) {
  const bool is_virtual = row.contains("cycles");
  const double time = row[is_virtual ? "cycles" : "time_s"];
  const double bound = row[is_virtual ? "bound_cycles" : "bound_s"];
  const double percent = row["percent_of_bound"];
  EXPECT_GE(percent, 0) << which;
  // Sanitizers slow copying down far more than FFTW's computation, so then the time of copying is
  // not a lower bound.
  if (is_virtual || !kSanitized) {
    EXPECT_LE(bound, time) << which;
    EXPECT_LE(percent, 100) << which;
  }
  const double expected = time == 0 ? 100 : 100 * bound / time;
  EXPECT_NEAR(percent, expected, 1e-12 * expected) << which;  // rounded when written
  EXPECT_EQ(row["bound_by"] == "copy", !is_virtual) << which;
  EXPECT_EQ(row.contains("percent_of_peak"), is_virtual) << which;
}

/// A message cut into full packets of 240 bytes and a remainder. A packet has 16 bytes of header,
/// is rounded up to chunks of 32 bytes and takes 14 more bytes on the wire.
struct Cut {
  explicit Cut(std::uint64_t bytes) : packets(bytes / 240), wire(packets * 270) {
    if (bytes % 240 == 0) return;
    ++packets;
    wire += (bytes % 240 + 16 + 31) / 32 * 32 + 14;
  }
  std::uint64_t packets;
  std::uint64_t wire;
};

Tick wire_ticks(double bytes) {
  return static_cast<Tick>(std::ceil(bytes * 8 / kBgl.link_bits_per_cycle));
}

/// The bytes that cross the busiest link of dimension `d` in an all-to-all. On a ring this is the
/// mean over the links of the dimension. On a mesh it is the load at the position along the
/// dimension that most messages cross.
double busiest_link_bytes(const Shape& shape, unsigned d, std::uint64_t wire) {
  const unsigned k = shape.extent(d);
  const double lines = shape.size() / k;
  double hops = 0;
  std::vector<double> crossing(k, 0);
  for (Rank from = 0; from < shape.size(); ++from)
    for (Rank to = 0; to < shape.size(); ++to) {
      const unsigned a = shape.coord(from)[d];
      const unsigned b = shape.coord(to)[d];
      hops += std::min((a + k - b) % k, (b + k - a) % k);
      for (unsigned cut = a; cut < b; ++cut) ++crossing[cut];
    }
  const double messages =
      shape.wraps(d) ? hops / (2 * lines * k) : *std::ranges::max_element(crossing) / lines;
  return messages * static_cast<double>(wire);
}

/// The time of a message alone on the machine. Its packets, of which the last may be shorter, take
/// the links by which they can leave in turn, always the one that is free first.
Tick ticks_alone(const Cut& cut, unsigned hops, unsigned links) {
  const Tick full = wire_ticks(270);
  const Tick last = wire_ticks(static_cast<double>(cut.wire - (cut.packets - 1) * 270));
  std::vector<Tick> busy(links);
  for (std::uint64_t packet = 1; packet <= cut.packets; ++packet)
    *std::ranges::min_element(busy) += packet < cut.packets ? full : last;
  const Tick on_links = std::ranges::max(busy);
  const Tick at_sender = (cut.packets - 1) * kBgl.inject_cycles + last;
  const Tick at_receiver = (cut.packets - 1) * kBgl.receive_cycles + last;
  return kBgl.inject_cycles + hops * kBgl.hop_latency_cycles +
         std::max({on_links, at_sender, at_receiver}) + kBgl.receive_cycles;
}

Tick slowest_alone(const Shape& shape, const Cut& cut) {
  Tick slowest = 0;
  for (Rank from = 0; from < shape.size(); ++from)
    for (Rank to = 0; to < shape.size(); ++to) {
      unsigned hops = 0, links = 0;
      for (unsigned d = 0; d < shape.dims(); ++d) {
        const unsigned a = shape.coord(from)[d], b = shape.coord(to)[d], k = shape.extent(d);
        const unsigned apart = std::max(a, b) - std::min(a, b);
        hops += shape.wraps(d) ? std::min(apart, k - apart) : apart;
        if (apart > 0) links += shape.wraps(d) && 2 * apart == k ? 2 : 1;
      }
      if (hops > 0) slowest = std::max(slowest, ticks_alone(cut, hops, links));
    }
  return slowest;
}

/// Parts of the bound of an all-to-all, counted pair by pair.
Parts all_to_all_parts(const Shape& shape, std::uint64_t bytes) {
  const Cut cut(bytes);
  const std::uint64_t peers = shape.size() - 1;
  if (peers == 0 || cut.packets == 0) return {{"link", 0}};
  double hottest = 0;
  unsigned links = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    if (shape.extent(d) == 1) continue;
    hottest = std::max(hottest, busiest_link_bytes(shape, d, cut.wire));
    links += shape.wraps(d) || shape.extent(d) > 2 ? 2 : 1;
  }
  const Tick injection = wire_ticks(static_cast<double>(peers * cut.wire) / links);
  return {{"link", std::max(wire_ticks(hottest), injection)},
          {"processor", peers * cut.packets * (kBgl.inject_cycles + kBgl.receive_cycles)},
          {"latency", slowest_alone(shape, cut)}};
}

TEST(BoundsHold, AllToAllBoundMatchesCountingPairByPair) {
  std::vector<std::string> seen;
  for (const std::string& torus : kSmallToruses)
    for (const std::string bytes : {"0", "1", "240", "241", "2000"}) {
      const json report = json_of({"alltoall", "--torus", torus, "--bytes", bytes});
      const std::string which = torus + ", " + bytes;
      expect_bound(report, all_to_all_parts(Shape::parse(torus), std::stoull(bytes)), which);
      expect_holds(report, which);
      seen.push_back(report["bound_by"]);
    }
  for (const char* by : {"link", "processor", "latency"})
    EXPECT_THAT(seen, ::testing::Contains(by));
}

/// The parts of the bound under their names in results.
Parts named(const Bounds& bounds) {
  return {{"link", std::max(bounds.hottest_link, bounds.injection)},
          {"processor", bounds.processor},
          {"latency", bounds.zero_load}};
}

bool fits(const std::string& traffic, const Shape& shape) {
  try {
    make_traffic(traffic, shape, 1, 1);
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

TEST(BoundsHold, ForEveryPolicyAndTrafficOnSmallTori) {
  std::size_t rows = 0;
  std::size_t turn = 0;  // the landing set tries a third of the traffics per torus
  for (const std::string& torus : scaled(kSmallToruses)) {
    const Shape shape = Shape::parse(torus);
    std::vector<std::string> traffics;
    ++turn;
    for (const char* name : {"all-to-all", "tornado", "neighbour", "hotspot", "incast:0", "zipf",
                             "permutation", "bit-complement", "halo"})
      if ((is_thorough() || turn++ % 3 == 0) && fits(name, shape)) traffics.emplace_back(name);
    const json report = json_of({"compare", "--torus", torus, "--bytes", "1,500", "--traffic",
                                 fmt::format("{}", fmt::join(traffics, ","))});
    for (const json& row : report["rows"]) {
      if (row.contains("error")) continue;
      expect_holds(row, row.dump());
      ++rows;
      if (row["policy"] != "random" && row["policy"] != "rank") continue;
      const auto traffic = make_traffic(row["traffic"].get<std::string>(), shape, row["bytes"], 1);
      expect_bound(row, named(traffic_bounds(kBgl, shape, *traffic)), row.dump());
    }
  }
  EXPECT_GT(rows, by_set(400U, 1000U));
}

TEST(BoundsHold, DetouringPolicyGetsTheBoundOfAnyPath) {
  // On shortest paths half of the links are idle; valiant uses them.
  const json rows = json_of({"compare", "--torus", "8", "--bytes", "9600", "--policies",
                             "random,valiant", "--traffic", "tornado"})["rows"];
  EXPECT_EQ(rows[0]["bound_cycles"], 2 * rows[1]["bound_cycles"].get<Tick>());
  for (const json& row : rows) expect_holds(row, row.dump());
}

TEST(BoundsHold, ForSampledAllToAllsAndFailedLinks) {
  for (const Arguments& more : std::vector<Arguments>{
           {"--peers", "1"},
           {"--peers", "3"},
           {"--peers", "1", "--policy", "random-rounds", "--traffic", "incast", "--bytes", "2400"},
           {"--peers", "2", "--policy", "random-rounds", "--traffic", "halo", "--bytes", "2400"},
           {"--peers", "3", "--traffic", "incast", "--machine", "bgp:dma_descriptor_cycles=9000"},
           {"--sample", "2"},
           {"--policy", "valiant", "--peers", "2"},
           {"--fail-link", "0:X+"},
           {"--fail-link", "0:X+", "--policy", "two-phase"}})
    for (const char* torus : {"4x4", "5x3", "3x2x2"}) {
      const Ended ended =
          run_command(Arguments{"alltoall", "--torus", torus, "--json", "-"} + more);
      if (ended.exit_code == 2) continue;
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      expect_holds(ended.json(), torus + ::testing::PrintToString(more));
    }
}

/// In a sample of a random-rounds policy some rounds visit no peer with a message.
TEST(BoundsHold, SampleSendsInAllRounds) {
  const json report = json_of({"alltoall", "--torus", "3x3", "--traffic", "incast", "--policy",
                               "random-rounds", "--peers", "4", "--bytes", "24000"});
  // Each of 8 nodes visits the hot node in about half of the rounds, one packet per round.
  EXPECT_GT(report["packets"], 8 * 35);
  EXPECT_LT(report["packets"], 8 * 65);
  expect_holds(report, "sample");
}

const std::vector<Arguments> kMethodsOfBounds = {{"--method", "volumetric"},
                                                 {"--method", "slab"},
                                                 {"--method", "slab", "--planes", "1"},
                                                 {"--method", "rows"},
                                                 {"--method", "orbital"}};

/// A phase lasts from the end of the previous phase to its own end, so phases add up.
void expect_sum(const json& report, const std::string& which) {
  const char* const key = report.contains("cycles") ? "cycles" : "time_s";
  double sum = 0;
  for (const json& phase : report["phases"]) sum += phase[key].get<double>();
  EXPECT_NEAR(sum, report[key].get<double>(), 1e-9 * sum) << which;
}

void expect_phases_hold(const json& report, const std::string& which) {
  const bool is_virtual = report.contains("cycles");
  const auto named = [&](const char* name) {
    return fmt::format("{}{}", name, is_virtual ? "_cycles" : "_s");
  };
  for (const json& phase : report["phases"]) {
    EXPECT_GE(phase["percent_of_bound"], 0) << which;
    EXPECT_LE(phase["percent_of_bound"], 100) << which;
    EXPECT_LE(phase[named("exchange_bound")], phase[named("exchange")]) << which;
    const double whole = phase[is_virtual ? "cycles" : "time_s"].get<double>() +
                         phase[named("overlap")].get<double>();
    EXPECT_LE(phase[named("exchange")].get<double>(), whole * (1 + 1e-9)) << which;
    EXPECT_EQ(phase.contains("percent_of_peak"), is_virtual) << which;
  }
}

std::size_t expect_transforms_hold(const std::vector<std::string>& toruses,
                                   const std::vector<std::string>& sizes, const Arguments& more) {
  std::size_t runs = 0;
  for (const std::string& torus : toruses)
    for (const std::string& size : sizes)
      for (const Arguments& method : kMethodsOfBounds) {
        const Arguments run =
            Arguments{"fft", "--torus", torus, "--size", size, "--json", "-"} + method + more;
        const Ended ended = run_command(run);
        if (ended.exit_code == 2) continue;
        const std::string which = ::testing::PrintToString(run);
        EXPECT_EQ(ended.exit_code, 0) << which << ended.err;
        expect_holds(ended.json(), which);
        expect_phases_hold(ended.json(), which);
        expect_sum(ended.json(), which);
        ++runs;
      }
  return runs;
}

TEST(BoundsHold, ForTransformsByEveryMethodAndPhasesAddUp) {
  EXPECT_GT(expect_transforms_hold(kSmallToruses, {"8x8x8", "7x5x6"}, {}), 80U);
  EXPECT_GT(
      expect_transforms_hold({"2x3", "4m", "2x2x2"}, {"8x8x8", "5x7x6"}, {"--real", "--inverse"}),
      10U);
}

/// This DMA engine is slow: a turn of it lasts about as long as the work that the processor does at
/// the same time.
TEST(BoundsHold, ForTransformsByDmaEngine) {
  const TemporaryDirectory directory;
  const std::string machine = directory.path() / "engine.toml";
  std::ofstream(machine) << "name = 'engine'\ndma_inject_cycles = 1\ndma_receive_cycles = 20000\n"
                            "dma_descriptor_cycles = 300\n";
  const Arguments by_engine = {"--machine", machine, "--transfer", "put"};
  EXPECT_GT(expect_transforms_hold({"2", "4", "2x3", "3m"}, {"7x7x7", "5x4x6"}, by_engine), 10U);
}

/// Combined messages share packets, and relayed ones leave by links that no shortest path takes.
TEST(BoundsHold, ForTransformsUnderCombiningAndRelayingPoliciesWithExpensiveProcessors) {
  const std::string slow = "bgl:inject_cycles=9000:receive_cycles=12000";
  for (const char* policy : {"bruck", "virtual-mesh", "two-phase", "three-phase", "valiant"})
    EXPECT_GT(expect_transforms_hold({"4x2", "2x2x2", "3m"}, {"8x8x8", "7x5x6"},
                                     {"--policy", policy, "--machine", slow}),
              5U);
  const json combined = json_of({"fft", "--torus", "2x2x2", "--size", "8", "--method", "slab",
                                 "--policy", "bruck", "--machine", slow});
  EXPECT_EQ(combined["bound_by"], "processor");
  EXPECT_GE(combined["percent_of_bound"], 30);
}

TEST(BoundsHold, ForTransformsOnTheWallClockAndPhasesAddUp) {
  EXPECT_GT(expect_transforms_hold({"1", "2", "3x2"}, {"16x16x16", "7x5x6"},
                                   Arguments{"--repeat", "3", "--threads", "2"} + kShm),
            15U);
}

/// Dimension by dimension, every node sends equal messages to all others of its line. A packet
/// holds a contiguous part of the array, so packets are not always full, and there are somewhat
/// more of them than the bytes would fill.
TEST(BoundsHold, EvenTransformExchangesMatchAllToAllsInLines) {
  const json report = json_of({"fft", "--torus", "2x4x4m", "--size", "16"});
  const std::uint64_t bytes_of_a_node = 16 * 16 * 16 / 32 * 16;
  std::vector<Tick> full;
  for (const char* line : {"2", "4", "4m"}) {
    const Shape shape = Shape::parse(line);
    Parts parts = all_to_all_parts(shape, bytes_of_a_node / shape.size());
    parts.pop_back();  // a message in pieces has no zero-load time of this form
    full.push_back(largest(parts).second);
  }
  std::vector<Tick> bounds;
  for (const json& phase : report["phases"])
    if (phase["packets"] > 0) bounds.push_back(phase["exchange_bound_cycles"]);
  std::ranges::sort(bounds);
  ASSERT_EQ(bounds.size(), full.size());
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_GE(bounds[i], full[i]);
    EXPECT_LE(static_cast<double>(bounds[i]), 1.2 * static_cast<double>(full[i]));
  }
}

TEST(BoundsHold, ForPoissonSolvers) {
  for (const char* torus : {"1", "3", "2x2m", "2x3x2"})
    for (const char* method : {"volumetric", "slab", "rows"})
      for (const char* fabric : {"sim", "shm"}) {
        const json report = json_of(
            {"poisson", "--torus", torus, "--size", "12", "--method", method, "--fabric", fabric});
        expect_holds(report, fmt::format("{} {} {}", torus, method, fabric));
        for (const json& grid : report["grids"]) expect_holds(grid, grid.dump());
      }
}

TEST(BoundsHold, ForReplaysBoundByLatencyOrLinks) {
  const TemporaryDirectory directory;
  directory.save("chain.csv", "time,src,dst,bytes\n0,0,1,8\n0.001,1,2,8\n");
  directory.save("burst.csv", "time,src,dst,bytes\n0,0,1,24000\n0,2,1,24000\n0,3,1,24000\n");
  directory.save("none.csv", "time,src,dst,bytes\n0,1,1,8\n");
  const auto replay = [&](const char* file, const Arguments& more) {
    return json_of(Arguments{"replay", directory / file, "--torus", "4"} + more);
  };
  EXPECT_EQ(replay("chain.csv", {})["bound_by"], "latency");
  EXPECT_EQ(replay("burst.csv", {})["bound_by"], "link");
  for (const char* file : {"chain.csv", "burst.csv", "none.csv"})
    for (const Arguments& more : {Arguments{}, kShm}) expect_holds(replay(file, more), file);
}

/// A receive starts when it is posted, so what waits for its start does not wait for the message.
TEST(BoundsHold, ForOperationsThatWaitForTheStartOfAReceive) {
  const TemporaryDirectory directory;
  directory.save("starts.goal",
                 "num_ranks 2\nrank 0 {\nl1: calc 100000\nl2: send 240b to 1\nl2 requires l1\n}\n"
                 "rank 1 {\nl1: recv 240b from 0\nl2: calc 90000\nl2 irequires l1\n}\n");
  const json report = json_of({"replay", directory / "starts.goal", "--torus", "2"});
  expect_holds(report, "irequires");
  EXPECT_GE(report["percent_of_bound"], 95);
  // The computation of 100 us, at 700 MHz, and the message after it.
  EXPECT_GE(report["bound_cycles"], 70'000 + 1'000);
  EXPECT_LT(report["bound_cycles"], 70'000 + 3'000);
}

/// Packets that are sent before the link fails take it, later ones leave by the other side.
TEST(BoundsHold, ForReplaysAroundALinkThatFailsLater) {
  const TemporaryDirectory directory;
  directory.save("one.csv", "time,src,dst,bytes\n0,0,1,240000\n");
  for (const char* torus : {"4", "4x2", "6"})
    for (const char* at : {"1", "50000", "500000"}) {
      const std::string link =
          fmt::format("({})X+@{}", Shape::parse(torus).dims() == 1 ? "0" : "0,0", at);
      const std::vector<std::string> rank = {"--fail-link", link, "--long-way"};
      expect_holds(json_of(Arguments{"replay", directory / "one.csv", "--torus", torus} + rank),
                   torus + link);
    }
}

/// In a chain every message waits for the one before; in a relay each node passes on what it gets.
TEST(BoundsHold, ForChainsPingPongsAndRelaysOfLongMessages) {
  const TemporaryDirectory directory;
  const auto goal = [](const std::vector<std::pair<Rank, Rank>>& messages, const char* bytes) {
    std::vector<std::string> ranks(4);
    std::vector<unsigned> operations(4);
    for (const auto& [from, to] : messages) {
      const auto add = [&](Rank rank, const char* what, Rank peer) {
        const unsigned number = ++operations[rank];
        ranks[rank] += fmt::format("l{}: {} {}b {} {}\n", number, what, bytes,
                                   what[0] == 's' ? "to" : "from", peer);
        if (number > 1) ranks[rank] += fmt::format("l{} requires l{}\n", number, number - 1);
      };
      add(from, "send", to);
      add(to, "recv", from);
    }
    std::string text = "num_ranks 4\n";
    for (Rank r = 0; r < 4; ++r) text += fmt::format("rank {} {{\n{}}}\n", r, ranks[r]);
    return text;
  };
  const std::vector<std::vector<std::pair<Rank, Rank>>> chains = {
      {{0, 1}, {1, 0}, {0, 1}, {1, 0}}, {{0, 1}, {1, 2}, {2, 3}}, {{0, 3}, {3, 1}, {1, 2}, {2, 0}}};
  for (const auto& chain : chains)
    for (const char* bytes : {"8", "240", "2400", "24000"})
      for (const char* torus : {"4", "2x2", "4m"}) {
        directory.save("chain.goal", goal(chain, bytes));
        const json report = json_of({"replay", directory / "chain.goal", "--torus", torus,
                                     "--machine", "bgl:both_hints=1", "--tie", "both"});
        expect_holds(report, fmt::format("{} B on {}", bytes, torus));
        EXPECT_GE(report["percent_of_bound"], 95) << bytes << " B on " << torus;
        EXPECT_EQ(report["bound_by"], "latency");
      }
}

/// Packets of one message may meet at their second hop, so chance decides about some per cent. The
/// best of five seeds shows how tight the bound is.
TEST(BoundsHold, ForPingPongsOfTheBenchmark) {
  std::map<std::string, double> best;  // [bytes]
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const json report =
        json_of({"bench", "latency", "--torus", "4x4", "--fabric", "sim", "--batches", "1", "-i",
                 "4", "--sizes", "0,8,240,2400,24000", "--seed", seed});
    for (const json& size : report["sizes"]) {
      const double percent = size["percent_of_bound"];
      EXPECT_LE(percent, 100) << size;
      EXPECT_GE(percent, 90) << size;
      best[size["bytes"].dump()] = std::max(best[size["bytes"].dump()], percent);
    }
  }
  for (const auto& [bytes, percent] : best) EXPECT_GE(percent, 96) << bytes;
}

/// Before a node begins a batch, packets of others that have begun may have reached it.
TEST(BoundsHold, ForSingleIterationsOfTheBenchmarks) {
  for (const char* kind : {"alltoall", "latency", "bw", "bibw", "rate"})
    for (const char* torus : {"4x4", "3x2x2"}) {
      const json report = json_of(
          {"bench", kind, "--torus", torus, "--fabric", "sim", "-i", "1", "--sizes", "8,240,2400"});
      for (const json& size : report["sizes"])
        EXPECT_LE(size["percent_of_bound"], 100) << kind << " " << torus << size;
    }
}

/// A window that is as short as a few packets holds few whole messages, and no more than fit.
TEST(BoundsHold, ForShortWindowsOfTheAcceptedLoad) {
  for (const char* bytes : {"240", "500"})
    for (const char* window : {"600", "3000", "20000"}) {
      const json rows =
          json_of({"sweep", "--axis", "load", "--torus", "4x4", "--policies", "random", "--traffic",
                   "hotspot", "--load", "1,4", "--refine", "0", "--bytes", bytes, "--window",
                   window, "--warm-up", "20000"})["rows"];
      for (const json& row : rows) {
        EXPECT_LE(row["percent_of_bound"], 100) << row;
        EXPECT_LE(row["percent_of_peak"], row["percent_of_bound"]) << row;
      }
    }
}

/// Where a hot node's packets wait, packets to other nodes pass them, so a saturated network
/// accepts other shares of the messages than it is offered.
TEST(BoundsHold, ForTheAcceptedLoad) {
  for (const char* traffic : {"hotspot", "incast", "uniform", "tornado", "neighbour"}) {
    const json rows = json_of({"sweep", "--axis", "load", "--torus", "4x4x4", "--policies",
                               "random,queue-per-peer", "--traffic", traffic, "--load", "0.5,1,2",
                               "--refine", "0", "--window", "60000"})["rows"];
    for (const json& row : rows) {
      EXPECT_LE(row["percent_of_bound"], 100) << row;
      EXPECT_LE(row["percent_of_peak"], row["percent_of_bound"]) << row;
      if (row["offered"] == 1) {
        EXPECT_GE(row["accepted"], 0.6) << row;  // the unit is in reach
      }
      // Where all pairs are served alike, no more than the unit is accepted. The edges of the
      // window cut through packets.
      if (traffic == std::string("uniform") || traffic == std::string("neighbour")) {
        EXPECT_LE(row["accepted"], 1.02) << row;
      }
    }
  }
}

TEST(BoundsHold, ForAllToAllsOnTheWallClockByCopying) {
  for (const char* route : {"torus", "direct"})
    for (const char* torus : {"1", "3", "2x2m"})
      for (const char* bytes : {"0", "1", "4800"}) {
        const json report = json_of(
            Arguments{"alltoall", "--torus", torus, "--bytes", bytes, "--route", route} + kShm);
        expect_holds(report, fmt::format("{} {} {}", route, torus, bytes));
        EXPECT_EQ(report["bound_by"], "copy");
      }
}

}  // namespace
}  // namespace toroid::testing
