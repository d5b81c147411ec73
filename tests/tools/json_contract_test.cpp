// The parts of the JSON on which users' scripts rely.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/run/run_result.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;

const Arguments kReportedAllToAll = {"alltoall", "--torus", "3x4"};
const Arguments kReportedFft = {"fft", "--torus", "2x3", "--size", "6x5x7"};
const Arguments kReportedRedistribution = {"redistribute", "--torus", "2x3",  "--size", "6x5x7",
                                           "--from",       "blocks",  "--to", "slabs:x"};
const std::vector<Arguments> kRuns = {kReportedAllToAll, kReportedFft, kReportedRedistribution,
                                      kReportedFft + Arguments{"--inverse", "--return"}};

void expect_types(const json& report, const std::vector<const char*>& keys,
                  bool (*is)(const json&)) {
  for (const char* key : keys) {
    ASSERT_TRUE(report.contains(key)) << key;
    EXPECT_TRUE(is(report[key])) << key << ": " << report[key];
  }
}

bool is_text(const json& value) {
  return value.is_string() && !value.get<std::string>().empty();
}
bool is_count(const json& value) {
  return value.is_number_unsigned();
}
bool is_real(const json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

TEST(Json, HasTheKeysOfTheContract) {
  for (const Arguments& run : kRuns) {
    const json report = json_of(run);
    expect_types(report,
                 {"verb", "version", "git_hash", "fabric", "time_kind", "torus", "machine",
                  "bound_by", "result_hash"},
                 is_text);
    expect_types(report, {"nodes", "seed", "cycles", "bound_cycles", "packets", "packet_hops"},
                 is_count);
    expect_types(
        report,
        {"time_s", "percent_of_bound", "percent_of_peak", "wall_s", "packet_hops_per_cpu_s"},
        is_real);
    EXPECT_FALSE(report.contains("bound_s"));
    expect_types(report["links"], {"max_load"}, is_count);
    expect_types(report["links"], {"mean_load"}, is_real);
    EXPECT_EQ(report["verb"], run.front());
    EXPECT_EQ(report["fabric"], "sim");
    EXPECT_EQ(report["time_kind"], "virtual");
    EXPECT_EQ(report["transfer"], "packets");
  }
}

TEST(Json, HasTheKeysOfTheContractOnTheWallClock) {
  for (const Arguments& run : kRuns) {
    const json report = json_of(run + kShm + Arguments{"--route", "torus"});
    expect_types(report, {"time_kind", "bound_by", "route", "result_hash"}, is_text);
    expect_types(report, {"nodes", "seed", "packets", "packet_hops", "workers"}, is_count);
    expect_types(report, {"time_s", "bound_s", "percent_of_bound", "wall_s"}, is_real);
    for (const char* key : {"cycles", "bound_cycles", "percent_of_peak"})
      EXPECT_FALSE(report.contains(key)) << key;
    EXPECT_EQ(report["bound_by"], "copy");
    expect_types(report, {"puts", "put_bytes"}, is_count);
  }
}

TEST(Json, ReportsTransferAndCopiesPerByte) {
  const Arguments direct{"--fabric", "shm", "--route", "direct", "--threads", "2"};
  const Arguments exchange{"alltoall", "--torus", "4", "--bytes", "9600"};
  const json by_put = json_of(exchange + direct);
  EXPECT_EQ(by_put["transfer"], "auto");
  EXPECT_EQ(by_put["puts"], 12);
  EXPECT_EQ(by_put["put_bytes"], 12 * 9600);
  EXPECT_EQ(by_put["copies_per_byte"], 1.0);
  const json in_packets = json_of(exchange + direct + Arguments{"--transfer", "packets"});
  EXPECT_EQ(in_packets["transfer"], "packets");
  EXPECT_EQ(in_packets["puts"], 0);
  EXPECT_EQ(in_packets["copies_per_byte"], 2.0);
  EXPECT_EQ(in_packets["packets"], by_put["packets"]);
  EXPECT_EQ(in_packets["result_hash"],
            json_of(exchange + direct +
                    Arguments{"--transfer", "put", "--per-visit", "32"})["result_hash"]);
}

TEST(Json, ReportsTransferByDmaEngineOnSim) {
  const auto on = [](const char* machine, const Arguments& more) {
    return json_of(
        Arguments{"alltoall", "--torus", "4x4x2", "--bytes", "960", "--machine", machine} + more);
  };
  const json packets = on("bgp", {});
  EXPECT_EQ(packets["transfer"], "packets");
  EXPECT_FALSE(packets["bounds"].contains("engine"));
  EXPECT_EQ(on("bgp", {"--transfer", "packets"})["result_hash"], packets["result_hash"]);
  EXPECT_EQ(on("bgl", {"--transfer", "auto"})["result_hash"], on("bgl", {})["result_hash"]);
  const json put = on("bgp", {"--transfer", "put"});
  EXPECT_EQ(put["transfer"], "put");
  EXPECT_EQ(put["packets"], packets["packets"]);
  EXPECT_NE(put["cycles"], packets["cycles"]);
  EXPECT_EQ(put["bounds"]["engine"], 31 * 4 * (45 + 45));
  EXPECT_EQ(put["bounds"]["processor"], 31 * 100);
  EXPECT_GE(put["cycles"], put["bound_cycles"]);
  const json automatic = on("bgp", {"--transfer", "auto", "--threads", "3"});
  EXPECT_EQ(automatic["transfer"], "put");
  EXPECT_EQ(automatic["result_hash"], put["result_hash"]);
  const json relayed = on("bgp", {"--transfer", "auto", "--policy", "two-phase"});
  EXPECT_EQ(relayed["transfer"], "packets");
}

TEST(Json, HasTheKeysOfTransforms) {
  const json report = json_of(kReportedFft + Arguments{"--check"});
  EXPECT_EQ(report["size"], (json{6, 5, 7}));
  expect_types(report, {"method", "transform"}, is_text);
  expect_types(report, {"max_error", "l2_error", "gflops"}, is_real);
  expect_types(report, {"bytes_per_process"}, is_count);
  ASSERT_EQ(report["phases"].size(), 3U);
  for (const json& phase : report["phases"]) {
    expect_types(phase, {"name", "bound_by"}, is_text);
    expect_types(
        phase, {"cycles", "overlap_cycles", "exchange_cycles", "exchange_bound_cycles", "packets"},
        is_count);
    expect_types(phase, {"time_s", "percent_of_bound", "percent_of_peak"}, is_real);
  }
  const json on_rings = json_of(kReportedFft + kShm);
  for (const json& phase : on_rings["phases"]) {
    expect_types(phase, {"name", "bound_by"}, is_text);
    expect_types(phase, {"packets"}, is_count);
    expect_types(phase,
                 {"time_s", "overlap_s", "exchange_s", "exchange_bound_s", "percent_of_bound"},
                 is_real);
  }
  EXPECT_EQ(json_of(kReportedFft + Arguments{"--return"})["phases"].size(), 4U);
}

TEST(Json, DescribesBuildAndMachineForInfo) {
  const json report = json_of({"info", "--torus", "4x4"});
  expect_types(report, {"verb", "version", "git_hash", "machine", "torus"}, is_text);
  expect_types(report, {"nodes", "diameter", "links_per_node"}, is_count);
  for (const json& number : report["numbers"]) {
    expect_types(number, {"key", "source", "meaning"}, is_text);
    expect_types(number, {"value"}, is_real);
  }
}

TEST(Json, HasConsistentFigures) {
  for (const Arguments& run : kRuns) {
    const json report = json_of(run);
    const auto cycles = report["cycles"].get<double>();
    EXPECT_DOUBLE_EQ(report["time_s"].get<double>(), cycles / 700e6);
    EXPECT_GE(cycles, report["bound_cycles"].get<double>());
    EXPECT_LE(report["percent_of_peak"].get<double>(),
              100 * report["bound_cycles"].get<double>() / cycles + 1e-9);
    EXPECT_GT(report["percent_of_peak"].get<double>(), 0);
    EXPECT_GE(report["packet_hops"], report["packets"]);
    EXPECT_GE(report["links"]["max_load"].get<double>(), report["links"]["mean_load"]);
  }
}

TEST(Json, GivesThePercentageOfTheHottestLinksBound) {
  const json report = json_of({"alltoall", "--torus", "8x8", "--bytes", "960"});
  EXPECT_DOUBLE_EQ(
      report["percent_of_peak"].get<double>(),
      100 * report["bounds"]["hottest_link"].get<double>() / report["cycles"].get<double>());
  EXPECT_EQ(report["bounds"]["hottest_link"], report["bound_cycles"]);
  EXPECT_EQ(report["bound_by"], "link");
  EXPECT_EQ(report["percent_of_bound"], report["percent_of_peak"]);
}

TEST(Json, BoundOfASampleCountsOnlyItsMessages) {
  const TemporaryDirectory directory;
  directory.save("far.toml", "hop_latency_cycles = 100000\n");
  for (const std::string peers : {"1", "2", "15"}) {
    for (const std::string torus : {"16", "16m", "4x4", "2x8m"}) {
      const json report = json_of({"alltoall", "--torus", torus, "--peers", peers, "--order",
                                   "shift", "--machine", directory / "far.toml"});
      EXPECT_GE(report["cycles"], report["bound_cycles"]) << torus << ", peers " << peers;
    }
  }
}

TEST(Json, PercentOfZeroIsDefined) {
  EXPECT_EQ(percent(0, 0), 100);
  EXPECT_EQ(percent(5, 0), 0);
  EXPECT_EQ(percent(5, 10), 50);
  EXPECT_EQ(percent_of(0.0, 0.0), 100);
  EXPECT_EQ(percent_of(0.5, 2.0), 25);
}

TEST(Json, TextNamesPolicyAndOrderSeparately) {
  const Ended ended =
      run_command({"alltoall", "--torus", "2", "--policy", "two-phase", "--order", "rank"});
  EXPECT_THAT(ended.out, ::testing::HasSubstr("policy two-phase, order rank,"));
  const Ended nothing = run_command({"alltoall", "--torus", "1"});
  EXPECT_THAT(nothing.out, ::testing::Not(::testing::HasSubstr("100.0 %")));
}

TEST(Json, TakesTimeFromTheMachinesClock) {
  const TemporaryDirectory directory;
  directory.save("half.toml", "clock_hz = 350e6\n");
  const json half = json_of(kReportedAllToAll + Arguments{"--machine", directory / "half.toml"});
  const json full = json_of(kReportedAllToAll);
  EXPECT_EQ(half["cycles"], full["cycles"]);
  EXPECT_DOUBLE_EQ(half["time_s"].get<double>(), 2 * full["time_s"].get<double>());
}

TEST(Json, CountsThePacketsOfTheMessages) {
  const json report = json_of({"alltoall", "--torus", "3x3", "--bytes", "241"});
  EXPECT_EQ(report["packets"], 9 * 8 * 2);
  EXPECT_EQ(report["links"]["bound_messages"], 3);
}

TEST(Json, IsAloneOnStandardOutput) {
  for (const Arguments& run : kRuns + std::vector<Arguments>{{"info"}}) {
    for (const Arguments& quiet : {Arguments{}, Arguments{"--quiet"}}) {
      const Ended ended = run_command(run + quiet + Arguments{"--json", "-"});
      EXPECT_TRUE(json::accept(ended.out)) << ended.out;
      EXPECT_TRUE(ended.out.ends_with("}\n"));
      EXPECT_EQ(ended.err, "");
    }
  }
}

TEST(Json, GoesToAFileBesideTheTable) {
  const TemporaryDirectory directory;
  for (const Arguments& run : kRuns + std::vector<Arguments>{{"info"}}) {
    const Ended ended = run_command(run + Arguments{"--json", directory / "r.json"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_NE(ended.out, "");
    EXPECT_FALSE(json::accept(ended.out));
    EXPECT_EQ(json::parse(directory.content_of("r.json"))["verb"], run.front());
  }
}

TEST(Json, IsNotSilencedByQuiet) {
  const TemporaryDirectory directory;
  for (const Arguments& run : kRuns + std::vector<Arguments>{{"info"}}) {
    const Ended ended = run_command(run + Arguments{"--quiet", "--json", directory / "r.json"});
    EXPECT_EQ(ended.out + ended.err, "");
    EXPECT_EQ(json::parse(directory.content_of("r.json"))["verb"], run.front());
    EXPECT_THAT(run_command(run + Arguments{"--quiet"}).out, IsEmpty());
  }
}

}  // namespace
}  // namespace toroid::testing
