// toroid poisson: the Madelung constant on every fabric and by every method, and refused settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/run/ofi.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr double kMadelung = -1.747564594633182190636;  // OEIS A085469
const Arguments kPoisson = {"poisson", "--torus", "2x2x2", "--size", "32"};
const std::vector<Arguments> kFabrics = {{"--fabric", "sim"}, {"--fabric", "shm"}};

std::vector<std::int64_t> sizes_of(const json& report) {
  std::vector<std::int64_t> sizes;
  for (const json& grid : report["grids"]) sizes.push_back(grid["size"]);
  return sizes;
}

void expect_constant(const json& report) {
  const json& last = report["grids"].back();
  EXPECT_NEAR(last["madelung"].get<double>(), kMadelung, 1e-10);
  EXPECT_LE(last["error"].get<double>(), 1e-10);
  EXPECT_EQ(report["madelung"], last["madelung"]);
  EXPECT_EQ(report["error"], last["error"]);
  EXPECT_EQ(report["time_s"], last["time_s"]);
  EXPECT_EQ(report["packets"], last["packets"]);
}

TEST(PoissonCommand, FindsTheMadelungConstantByEveryMethodOnEveryFabric) {
  for (const Arguments& fabric : kFabrics)
    for (const std::string method : {"volumetric", "slab", "rows"}) {
      const json report = json_of(kPoisson + fabric + Arguments{"--method", method});
      EXPECT_EQ(report["method"], method);
      expect_constant(report);
    }
}

TEST(PoissonCommand, FindsTheConstantWithKissFft) {
  const json report = json_of(kPoisson + Arguments{"--kernel", "kissfft"});
  EXPECT_EQ(report["kernel"], "kissfft");
  EXPECT_EQ(json_of(kPoisson)["kernel"], "fftw");
  EXPECT_LT(report["error"], 1e-10);
}

TEST(PoissonCommand, FindsTheConstantWithAnOverlappingSlab) {
  for (const Arguments& fabric : kFabrics)
    for (const Arguments& more :
         {Arguments{"--planes", "1"}, {"--planes", "2,1"}, {"--planes", "2", "--start", "lines"}}) {
      const json report = json_of(kPoisson + fabric + Arguments{"--method", "slab"} + more);
      EXPECT_EQ(report["planes"], more[1][0] - '0');
      expect_constant(report);
    }
  // On 2x2x2 nodes the processors take longer than the links, so an overlap would not save time.
  const auto cycles = [](const Arguments& more) {
    const Arguments run = {"poisson", "--torus", "4x2", "--size", "32", "--method", "slab"};
    return json_of(run + more)["cycles"].get<double>();
  };
  EXPECT_LT(cycles({"--planes", "1"}), cycles({}));
}

TEST(PoissonCommand, FindsTheConstantByTheOrbitalMethodInComplexData) {
  for (const Arguments& fabric : kFabrics) {
    const json report = json_of(kPoisson + fabric + Arguments{"--method", "orbital"});
    expect_constant(report);
    EXPECT_FALSE(report.contains("kernel"));
  }
  expect_constant(json_of({"poisson", "--torus", "4x4x4", "--size", "32", "--method", "orbital"}));
}

TEST(PoissonCommand, FindsTheConstantOnEveryShape) {
  for (const std::string torus : {"1", "7", "3x5", "4x4m", "1x6x1", "2x2x2x2", "2x1x2x2x1x3"})
    expect_constant(json_of({"poisson", "--torus", torus, "--size", "32"}));
}

TEST(PoissonCommand, ErrorFallsFasterThanAnyPowerOfTheSpacing) {
  const json grids = json_of(kPoisson)["grids"];
  const auto error = [&](std::size_t grid) { return grids[grid]["error"].get<double>(); };
  ASSERT_EQ(grids.size(), 4U);
  EXPECT_GT(error(0), 1e-2);
  EXPECT_GT(error(1), 1e-4);
  EXPECT_LT(error(1), 1e-2);
  EXPECT_LT(error(2), error(1) * error(1));
  EXPECT_LT(error(3), 1e-13);
}

TEST(PoissonCommand, DoublesTheGridUpToTheGivenSize) {
  using Sizes = std::vector<std::int64_t>;
  const auto sizes = [](const std::string& size, const std::string& torus) {
    return sizes_of(json_of({"poisson", "--torus", torus, "--size", size}));
  };
  EXPECT_EQ(sizes("4", "2x2"), (Sizes{4}));
  EXPECT_EQ(sizes("6", "2x2"), (Sizes{4, 6}));
  EXPECT_EQ(sizes("22", "2x2"), (Sizes{4, 8, 16, 22}));
  EXPECT_EQ(sizes_of(json_of({"poisson", "--torus", "2"})), (Sizes{4, 8, 16, 32, 64}));
  EXPECT_EQ(sizes("16", "4x4x4"), (Sizes{4, 8, 16}));  // 4^3 has 16 lines for 64 nodes
}

TEST(PoissonCommand, ReportHasTheDocumentedKeys) {
  for (const Arguments& fabric : kFabrics) {
    const json report = json_of(kPoisson + fabric);
    for (const char* key : {"version", "git_hash", "machine", "method", "result_hash"})
      EXPECT_TRUE(report[key].is_string()) << key;
    const bool is_virtual = fabric.back() == "sim";
    for (const char* key : {"nodes", "seed", "packets"})
      EXPECT_TRUE(report[key].is_number_unsigned()) << key;
    EXPECT_EQ(report.contains("packet_hops"), is_virtual);  // direct packets cross no links
    for (const char* key :
         {"time_s", "wall_s", "percent_of_bound", "madelung", "reference", "error"})
      EXPECT_TRUE(report[key].is_number_float()) << key;
    for (const char* key : {"cycles", "bound_cycles", "percent_of_peak"})
      EXPECT_EQ(report.contains(key), is_virtual) << key;
    EXPECT_EQ(report.contains("bound_s"), !is_virtual);
    EXPECT_EQ(report["verb"], "poisson");
    EXPECT_EQ(report["torus"], "2x2x2");
    EXPECT_EQ(report["fabric"], fabric.back());
    EXPECT_EQ(report["time_kind"], fabric.back() == "sim" ? "virtual" : "shm");
    EXPECT_EQ(report["size"], (json{32, 32, 32}));
    if (is_virtual) {
      EXPECT_GT(report["links"]["max_load"], 0);
    }
    for (const json& grid : report["grids"])
      for (const char* key : {"size", "madelung", "error", "time_s", "percent_of_bound", "packets"})
        EXPECT_TRUE(grid[key].is_number()) << key;
  }
}

TEST(PoissonCommand, HasEqualHashesForEqualSeeds) {
  for (const Arguments& fabric : kFabrics) {
    const json report = json_of(kPoisson + fabric);
    EXPECT_EQ(json_of(kPoisson + fabric + Arguments{"--threads", "3"})["result_hash"],
              report["result_hash"]);
    EXPECT_NE(json_of(kPoisson + fabric + Arguments{"--seed", "2"})["result_hash"],
              report["result_hash"]);
  }
}

TEST(PoissonCommand, ComputesTheSameOnShmAndSim) {
  const json sim = json_of(kPoisson);
  const json shm = json_of(kPoisson + Arguments{"--fabric", "shm"});
  for (std::size_t grid = 0; grid < sim["grids"].size(); ++grid)
    EXPECT_EQ(sim["grids"][grid]["madelung"], shm["grids"][grid]["madelung"]);
}

TEST(PoissonCommand, FindsTheConstantWithSeveralProcesses) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const Ended ended = run_process({"launch", "-n", "2", "--", TOROID_COMMAND, "poisson", "--torus",
                                   "2x2x2", "--size", "32", "--fabric", "ofi", "--json", "-"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json report = ended.json();
  EXPECT_EQ(report["processes"], 2);
  expect_constant(report);
}

TEST(PoissonCommand, PrintsOneLinePerGrid) {
  const Ended ended = run_command(kPoisson);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 3 + 4);
  EXPECT_THAT(ended.out, ::testing::HasSubstr("-1.74756459463318"));
  EXPECT_EQ(run_command(kPoisson + Arguments{"--quiet"}).out, "");
}

TEST(PoissonCommand, KeepsFinishedGridsWhenInterrupted) {
  const TemporaryDirectory directory;
  RunningCommand running(
      {"poisson", "--torus", "2x2x2", "--size", "256", "--json", "r.json", "--report", "r.html"},
      {.directory = directory.path()});
  ASSERT_TRUE(comes_true([&] { return running.printed().find("\n   8^3") != std::string::npos; }));
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("toroid: interrupted\n"));
  const auto report = nlohmann::json::parse(directory.content_of("r.json"));
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_GE(report["grids"].size(), 2u);
  EXPECT_LT(report["grids"].back()["size"], 256);
  EXPECT_EQ(report["packets"], report["grids"].back()["packets"]);
  EXPECT_THAT(directory.content_of("r.html"), HasSubstr("</html>"));
}

TEST(PoissonCommand, RefusesOddTooSmallAndTooLargeGrids) {
  const TemporaryDirectory directory;
  const auto refuse = [&](const std::string& size, const std::vector<std::string>& words) {
    const Arguments run = {"poisson", "--torus", "2x2", "--size=" + size};
    expect_refusal(directory, with_outputs(run), words);
  };
  for (const std::string size : {"5", "7", "33", "65535"}) refuse(size, {size, "even"});
  for (const std::string size : {"0", "2", "3", "-4", "65538", "many", "32x32x32", ""})
    refuse(size, {"--size"});
  refuse("65536", {"memory"});
}

TEST(PoissonCommand, RefusesUnsuitableMethodsAndMachines) {
  const TemporaryDirectory directory;
  for (const std::string method : {"Slab", ""})
    expect_refusal(directory, with_outputs(kPoisson + Arguments{"--method", method}), {"slab"});
  expect_refusal(directory,
                 with_outputs({"poisson", "--torus", "64", "--method=slab", "--size=32"}),
                 {"32", "64"});
  expect_refusal(directory,
                 with_outputs({"poisson", "--torus", "2x2", "--method=orbital", "--size=8"}),
                 {"P x P x P"});
  expect_refusal(directory,
                 with_outputs(kPoisson + Arguments{"--method", "orbital", "--kernel", "fftw"}),
                 {"--kernel has no effect on poisson --method orbital"});
  expect_refusal(directory, with_outputs({"poisson", "--size", "8"}), {"--torus"});
  expect_refusal(directory, with_outputs(kPoisson + Arguments{"--planes", "1"}),
                 {"--planes has no effect on poisson --method volumetric"});
  for (const std::string planes : {"-1", "1,-1", "1,2,3"})
    expect_refusal(directory,
                   with_outputs(kPoisson + Arguments{"--method", "slab", "--planes=" + planes}),
                   {"poisson takes --planes F or F,B only"});
}

}  // namespace
}  // namespace toroid::testing
