// Bounds compared with the optimum: linear programs give the least load of the hottest link, and
// single messages take their zero-load time. No run is faster than the optimum, and no bound is
// above it.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tests/scale.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

constexpr unsigned kCases = 231;
constexpr unsigned kMessages = 180;
constexpr const char* kTwistedShapes[] = {"4x8@XY4",       "4x2@XY1",       "5x3@XY2",
                                          "2x4@XY2",       "2x2x4@XZ2@YZ2", "6x2@YX3",
                                          "2x4x4@XY2@XZ2", "3x5@XY1",       "3x4x2@ZX1@ZY3"};
constexpr const char* kPatterns[] = {
    "all-to-all", "lines:Y", "uniform:2", "sample:2", "tornado",     "bit-complement", "neighbour",
    "halo",       "hotspot", "incast",    "zipf",     "permutation", "roll",           "transpose"};

template <std::size_t N>
const char* one_of(const char* const (&list)[N], Random& random) {
  return list[random.below(N)];
}

/// A torus or mesh of 2 to 36 nodes.
Shape random_shape(Random& random) {
  for (;;) {
    std::string text;
    Rank nodes = 1;
    for (unsigned dims = 1 + random.below(4); dims > 0; --dims) {
      const unsigned extent = 1 + random.below(6);
      nodes *= extent;
      text +=
          fmt::format("{}{}{}", text.empty() ? "" : "x", extent, random.below(4) == 0 ? "m" : "");
    }
    if (2 <= nodes && nodes <= 36) return Shape::parse(text);
  }
}

/// Every third shape is twisted.
Shape shape_of(unsigned number, Random& random) {
  return number % 3 == 2 ? Shape::parse(one_of(kTwistedShapes, random)) : random_shape(random);
}

std::vector<TrafficEntry> random_entries(const Shape& shape, Random& random) {
  std::vector<TrafficEntry> entries;
  for (unsigned count = 1 + random.below(3 * shape.size()); entries.size() < count;) {
    const Rank from = random.below(shape.size()), to = random.below(shape.size());
    if (from != to) entries.push_back({from, to, 1 + random.below(2000)});
  }
  return entries;
}

/// Null if the pattern does not fit the shape.
std::unique_ptr<Traffic> try_pattern(const Shape& shape, Random& random) {
  try {
    const std::uint64_t bytes = 1 + random.below(2000);
    return make_traffic(one_of(kPatterns, random), shape, bytes, random.next());
  } catch (const BadInput&) {
    return nullptr;
  }
}

std::vector<TrafficEntry> pattern_entries(const Shape& shape, Random& random) {
  std::vector<TrafficEntry> entries;
  while (entries.empty()) {
    const auto traffic = try_pattern(shape, random);
    for (Rank from = 0; traffic && from < shape.size(); ++from)
      for (const Rank to : traffic->targets(from))
        entries.push_back({from, to, traffic->bytes(from, to)});
  }
  return entries;
}

struct OptimumCase {
  Shape shape;
  MatrixTraffic traffic;
  std::string name;
};

std::vector<OptimumCase> random_cases() {
  std::vector<OptimumCase> cases;
  for (unsigned i = 0; i < kCases; ++i) {
    Random random(48, i);
    const Shape shape = shape_of(i, random);
    auto entries =
        random.below(3) == 0 ? random_entries(shape, random) : pattern_entries(shape, random);
    cases.push_back({shape, MatrixTraffic("case", shape.size(), std::move(entries)),
                     fmt::format("case {} on {}", i, shape.text())});
    if (!is_thorough() && cases.size() == scaled(24u)) break;
  }
  return cases;
}

template <typename Body>
void for_each_pair(const OptimumCase& one, Body&& body) {
  for (Rank from = 0; from < one.shape.size(); ++from)
    for (const Rank to : one.traffic.targets(from)) body(from, to, one.traffic.bytes(from, to));
}

json program_of(const OptimumCase& one) {
  json links = json::array(), demands = json::array();
  for (Rank r = 0; r < one.shape.size(); ++r)
    for (std::uint8_t l = 0; l < one.shape.links(); ++l)
      if (const auto end = one.shape.neighbour(r, {l})) links.push_back({r, *end});
  for_each_pair(one, [&](Rank from, Rank to, std::uint64_t bytes) {
    demands.push_back({from, to, message_cost(Machine(), bytes).wire_bytes});
  });
  return {{"nodes", one.shape.size()}, {"links", links}, {"demands", demands}};
}

/// The least loads of the hottest link, in bytes.
std::vector<double> solved(const std::string& python, const std::vector<OptimumCase>& cases) {
  const TemporaryDirectory directory;
  json programs = json::array();
  for (const OptimumCase& one : cases) programs.push_back(program_of(one));
  directory.save("cases.json", programs.dump());
  const std::string command =
      fmt::format("{} {}/tests/tools/least_congestion.py {} > {}", python, TOROID_SOURCE_DIR,
                  directory / "cases.json", directory / "optima");
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<double> optima;
  std::ifstream file(directory / "optima");
  for (double optimum; file >> optimum;) optima.push_back(optimum);
  return optima;
}

json replayed(const TemporaryDirectory& directory, const OptimumCase& one) {
  std::string text = "time,src,dst,bytes\n";
  for_each_pair(one, [&](Rank from, Rank to, std::uint64_t bytes) {
    text += fmt::format("0,{},{},{}\n", from, to, bytes);
  });
  directory.save("case.csv", text);
  return json_of({"replay", directory / "case.csv", "--torus", one.shape.text()});
}

struct Mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return sum / count; }
};

TEST(Optimum, IsReachedByNoRunAndExceededByNoBound) {
  const std::string python = python_with("scipy.optimize, scipy.sparse");
  if (python.empty()) GTEST_SKIP() << "no python3 with scipy";
  const std::vector<OptimumCase> cases = random_cases();
  const std::vector<double> optima = solved(python, cases);
  ASSERT_EQ(optima.size(), cases.size());
  const TemporaryDirectory directory;
  Mean plain, twisted;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const OptimumCase& one = cases[i];
    const double optimum = optima[i] * 8 / Machine().link_bits_per_cycle;
    const Bounds bounds = traffic_bounds(Machine(), one.shape, one.traffic);
    const json run = replayed(directory, one);
    EXPECT_LE(static_cast<double>(bounds.hottest_link), optimum * (1 + 1e-6) + 1) << one.name;
    EXPECT_GE(run["cycles"].get<double>(), optimum * (1 - 1e-6)) << one.name;
    EXPECT_GE(run["cycles"], run["bound_cycles"]) << one.name;
    (one.shape.is_twisted() ? twisted : plain)
        .add(static_cast<double>(bounds.hottest_link) / optimum);
  }
  RecordProperty("plain", fmt::format("{:.4f}", plain.value()));
  RecordProperty("twisted", fmt::format("{:.4f}", twisted.value()));
  EXPECT_GE(plain.value(), 0.9);
  EXPECT_GE(twisted.value(), 0.8);
}

std::string random_machine(Random& random) {
  return fmt::format(
      "bgl:both_hints=1:inject_cycles={}:receive_cycles={}:hop_latency_cycles={}:"
      "link_bits_per_cycle={}",
      1 + random.below(400), 1 + random.below(400), 1 + random.below(300), 1 + random.below(16));
}

TEST(Optimum, OfASingleMessageIsItsBound) {
  const TemporaryDirectory directory;
  Mean ratio;
  const unsigned messages = is_thorough() ? kMessages : scaled(45u);
  for (unsigned i = 0; i < messages; ++i) {
    Random random(49, i);
    const Shape shape = shape_of(i, random);
    const Rank from = random.below(shape.size());
    const Rank to = (from + 1 + random.below(shape.size() - 1)) % shape.size();
    const unsigned bytes = i % 2 == 0 ? random.below(241) : random.below(5000);
    const std::string machine = random_machine(random);
    directory.save("one.csv", fmt::format("time,src,dst,bytes\n0,{},{},{}\n", from, to, bytes));
    const json run = json_of({"replay", directory / "one.csv", "--torus", shape.text(), "--machine",
                              machine, "--tie", shape.is_twisted() ? "split" : "both"});
    const std::string which =
        fmt::format("{} B from {} to {} on {}, {}", bytes, from, to, shape.text(), machine);
    EXPECT_LE(run["bound_cycles"], run["cycles"]) << which;
    if (bytes > 0) {
      EXPECT_EQ(run["bounds"]["zero_load"], run["bounds"]["critical_path"]) << which;
    }
    if (bytes <= 240) {
      EXPECT_EQ(run["bound_cycles"], run["cycles"]) << which;
    }
    ratio.add(run["percent_of_bound"].get<double>() / 100);
  }
  RecordProperty("ratio", fmt::format("{:.4f}", ratio.value()));
  EXPECT_GE(ratio.value(), 0.9);
}

}  // namespace
}  // namespace toroid::testing
