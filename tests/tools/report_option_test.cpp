// --report makes in one step the page that --record and toroid report make in two. Also the
// provenance of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"
#include "tools/report/deflate_base64.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

const Arguments kReport = {"--report", "r.html"};
const Arguments kOneFft = {"fft", "--torus", "2x2", "--size", "4x6x5"};
const Arguments kOneExchange = {"alltoall", "--torus", "2x3"};
const Arguments kOneComparison = {"compare", "--torus", "2x3", "--policies", "random,rank"};
const Arguments kOneSweep = {"sweep", "--axis",  "bytes",   "--torus",   "2x3",       "--policies",
                             "rank",  "--bytes", "240,480", "--traffic", "all-to-all"};
const Arguments kOneBench = {"bench", "latency", "--sizes", "8,64", "--batches", "1"};
const Arguments kOnePaper = {"paper", "--rows", "model"};
const Arguments kOnePoisson = {"poisson", "--torus", "2", "--size", "4"};

class ReportOption : public ::testing::Test {
 protected:
  Ended run(const Arguments& arguments) const {
    return run_command(arguments, {.directory = directory_.path()});
  }
  /// Returns the data that the page's script reads.
  json data_of(const std::string& name) const {
    const std::string page = directory_.content_of(name);
    const std::string mark = "id=\"data\">";
    const std::size_t begin = page.find(mark);
    if (begin == page.npos) return "no page";
    const std::size_t from = begin + mark.size();
    return json::parse(page.substr(from, page.find("</script>", from) - from));
  }
  /// Runs with --report and returns the page's data.
  json shown(const Arguments& arguments) const {
    const Ended ended = run(arguments + kReport);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return data_of("r.html");
  }

  const TemporaryDirectory directory_;
};

/// Returns the data without keys that only a page made from files has.
json without_file(json data) {
  data.erase("about");
  for (const char* kind : {"runs", "sweeps"})
    for (json& one : data[kind]) {
      one.erase("file");
      if (one.contains("head")) one["head"].erase("file");
    }
  return data;
}

TEST_F(ReportOption, MakesTheSamePageAsRecordAndReport) {
  for (const Arguments& arguments : {kOneFft, kOneExchange}) {
    const json one_step = shown(arguments + Arguments{"--record", "r.json"});
    ASSERT_EQ(run({"report", "r.json", "-o", "two.html"}).exit_code, 0);
    EXPECT_EQ(without_file(one_step), without_file(data_of("two.html")));
    EXPECT_TRUE(one_step["runs"][0].contains("recording"));
  }
}

TEST_F(ReportOption, ShowsTheResultOfEveryVerb) {
  EXPECT_EQ(shown(kOneComparison)["runs"].size(), 2u);
  const json sweep = shown(kOneSweep)["sweeps"];
  ASSERT_EQ(sweep.size(), 1u);
  EXPECT_EQ(sweep[0]["points"].size(), 2u);
  EXPECT_EQ(sweep[0]["head"]["verb"], "sweep");
  const json bench = shown(kOneBench)["benches"];
  ASSERT_EQ(bench.size(), 1u);
  EXPECT_EQ(bench[0]["head"]["bench"], "latency");
  EXPECT_EQ(bench[0]["rows"].size(), 2u);
  EXPECT_EQ(bench[0]["rows"][1]["bytes"], 64);
  const json paper = shown(kOnePaper)["papers"];
  ASSERT_EQ(paper.size(), 1u);
  EXPECT_TRUE(paper[0]["rows"][0].contains("ours"));
  EXPECT_EQ(shown(kOnePoisson)["runs"][0]["verb"], "poisson");
  ASSERT_EQ(run({"alltoall", "--torus", "2", "--export", "m.goal"}).exit_code, 0);
  const json replay = shown({"replay", "m.goal", "--torus", "2"})["runs"];
  ASSERT_EQ(replay.size(), 1u);
  EXPECT_TRUE(replay[0].contains("recording"));
}

TEST_F(ReportOption, HasTheKeysThatDistinguishRuns) {
  const json fft = shown(kOneFft + Arguments{"--seed", "7"})["runs"][0];
  for (const char* key :
       {"verb", "fabric", "time_kind", "torus", "nodes", "machine", "seed", "method", "transform",
        "precision", "command", "date", "version", "percent_of_bound", "bound_by"})
    EXPECT_TRUE(fft.contains(key)) << key;
  EXPECT_EQ(fft["size"], (json{4, 6, 5}));
  EXPECT_EQ(fft["seed"], 7);
  ASSERT_EQ(fft["phases"].size(), 3u);
  EXPECT_TRUE(fft["phases"][0].contains("exchange_bound_cycles"));
  const json row = shown(kOneComparison + Arguments{"--seed", "9"})["runs"][1];
  EXPECT_EQ(row["policy"], "rank");
  EXPECT_EQ(row["seed"], 9);
  EXPECT_EQ(row["verb"], "compare");
}

TEST_F(ReportOption, PrintsThePathOfTheReport) {
  for (const Arguments& arguments : scaled(std::vector{
           kOneFft, kOneExchange, kOneComparison, kOneSweep, kOneBench, kOnePaper, kOnePoisson})) {
    SCOPED_TRACE(arguments[0]);
    const Ended plain = run(arguments + kReport);
    EXPECT_TRUE(plain.out.ends_with("\nreport: r.html\n")) << plain.out;
    const Ended quiet = run(arguments + kReport + Arguments{"--quiet"});
    EXPECT_EQ(quiet.out + quiet.err, "");
    const Ended with_json = run(arguments + kReport + Arguments{"--json", "-"});
    EXPECT_TRUE(json::accept(with_json.out));
    EXPECT_EQ(with_json.err, "report: r.html\n");
  }
}

TEST_F(ReportOption, RefusesABadPathBeforeTheRun) {
  ASSERT_EQ(run({"alltoall", "--torus", "2", "--export", "m.goal"}).exit_code, 0);
  const Arguments replay = {"replay", "m.goal", "--torus", "2"};
  for (const Arguments& arguments : {kOneFft, kOneExchange, kOneComparison, kOneSweep, kOneBench,
                                     kOnePaper, kOnePoisson, replay}) {
    expect_refusal(directory_, arguments + Arguments{"--report", "no/r.html"},
                   {"cannot write no/r.html"});
    expect_refusal(directory_, arguments + Arguments{"--report", "x", "--json", "x"},
                   {"x and x are the same file"});
    expect_refusal(directory_, arguments + Arguments{"--report", "-"}, {"--report -: expected a"});
    expect_refusal(directory_, arguments + Arguments{"--report", ""}, {"--report"});
  }
  expect_refusal(directory_, kOneFft + Arguments{"--report", "x", "--out", "./x"}, {"same file"});
  expect_refusal(directory_, kOneFft + Arguments{"--report", "x", "--record", "x"}, {"same file"});
  ASSERT_EQ(run(kOneFft + Arguments{"--out", "a.npy"}).exit_code, 0);
  for (const char* output : {"--report", "--json", "--record", "--export"})
    expect_refusal(directory_, kOneFft + Arguments{"--in", "a.npy", output, "./a.npy"},
                   {"a.npy and ./a.npy are the same file"});
  expect_refusal(directory_, kOneComparison + Arguments{"--report", "x", "--csv", "x"},
                 {"same file"});
  expect_refusal(directory_, Arguments{"replay", "m.goal", "--torus", "2", "--report", "m.goal"},
                 {"same file"});
}

TEST_F(ReportOption, LeavesNoFileIfTheRunFails) {
  const Ended ended =
      run({"alltoall", "--torus", "8x8", "--bytes", "4800", "--no-bubble", "--routing",
           "deterministic", "--queues", "6", "--machine",
           TOROID_SOURCE_DIR "/tools/machines/smallest-buffers.toml", "--report", "r.html"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(directory_.entries(), IsEmpty());
}

TEST_F(ReportOption, ShowsLinkLoadsOfShmRuns) {
  const Arguments hop_by_hop = kShm + Arguments{"--route", "torus"};
  const json data = shown(kOneExchange + hop_by_hop);
  const json run = data["runs"][0];
  EXPECT_FALSE(run.contains("recording"));
  ASSERT_TRUE(run.contains("loads"));
  EXPECT_EQ(run["loads"]["extents"], (json{2, 3}));
  const auto packets = unpack_words(run["loads"]["packets"], 6 * 4);
  ASSERT_TRUE(packets.has_value());
  std::uint64_t hops = 0;
  for (const std::uint32_t one : *packets) hops += one;
  EXPECT_EQ(hops, run["packet_hops"]);
  const json fft = shown(kOneFft + hop_by_hop + kEstimate)["runs"][0];
  EXPECT_EQ(fft["slices"].size(), 6u);
  EXPECT_EQ(fft["phases"].size(), 3u);
  for (const json& one : {run, fft}) {
    EXPECT_GT(one["bound_s"], 0);
    EXPECT_FALSE(one.contains("cycles"));
  }
}

/// Returns log10 of the magnitudes of a spectrum's plane kz = 0, with the zero frequency in the
/// middle, computed by the defining sum.
std::vector<double> central_plane(const Values& values, const std::vector<std::size_t>& n,
                                  double sign) {
  std::vector<double> plane;
  for (std::size_t row = 0; row < n[0]; ++row)
    for (std::size_t column = 0; column < n[1]; ++column) {
      const double kx = static_cast<double>(row) - static_cast<double>(n[0] / 2);
      const double ky = static_cast<double>(column) - static_cast<double>(n[1] / 2);
      Complex sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto x = static_cast<double>(i / (n[1] * n[2]));
        const auto y = static_cast<double>(i / n[2] % n[1]);
        const double turns =
            kx * x / static_cast<double>(n[0]) + ky * y / static_cast<double>(n[1]);
        sum += values[i] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
      }
      plane.push_back(std::log10(std::abs(sum)));
    }
  return plane;
}

void expect_pixels(const json& slice, const std::vector<double>& plane) {
  const auto pixels = unpack_bytes(slice["pixels"], plane.size());
  ASSERT_TRUE(pixels.has_value());
  const double min = slice["min"];
  const double max = slice["max"];
  ASSERT_LT(min, max);
  for (std::size_t i = 0; i < plane.size(); ++i)
    EXPECT_NEAR(pixels->at(i), 255 * (plane[i] - min) / (max - min), 0.51) << i;
}

TEST_F(ReportOption, ShowsMiddleSlicesOfArrayAndSpectrum) {
  const std::vector<std::size_t> size = {4, 6, 5};
  const Values values = some_values(120, false);
  std::ostringstream file;
  write_npy(file, size, values, NpyType::f8);
  directory_.save("in.npy", file.str());
  std::vector<double> middle;  // z = 2
  for (std::size_t i = 2; i < values.size(); i += 5) middle.push_back(values[i].real());
  for (const Arguments& more : {Arguments{}, Arguments{"--real"}, Arguments{"--method", "slab"}}) {
    const json slices =
        shown(Arguments{"fft", "--torus", "2", "--in", "in.npy"} + more)["runs"][0]["slices"];
    ASSERT_EQ(slices.size(), 6u);
    EXPECT_EQ(slices[2]["kind"], "density");
    EXPECT_EQ(slices[2]["where"], "z = 2");
    expect_pixels(slices[2], middle);
    EXPECT_EQ(slices[5]["kind"], "spectrum");
    EXPECT_EQ(slices[5]["axis"], 2);
    EXPECT_EQ(slices[5]["width"], 6);
    EXPECT_EQ(slices[5]["height"], 4);
    expect_pixels(slices[5], central_plane(values, size, -1));
  }
}

TEST_F(ReportOption, ShowsTheInputSpectrumOfAnInverse) {
  const json slices = shown(kOneFft + Arguments{"--inverse"})["runs"][0]["slices"];
  ASSERT_EQ(slices.size(), 6u);
  EXPECT_EQ(slices[0]["kind"], "density");
  EXPECT_EQ(slices[0]["unit"], "magnitude");
  EXPECT_EQ(slices[3]["kind"], "spectrum");
  EXPECT_LT(slices[3]["max"], 0.16);  // log10 of sqrt(2): the random values lie in the unit square
}

TEST_F(ReportOption, HasEverySettingThatMayDiffer) {
  const Arguments fft = {"fft", "--torus", "2x2", "--size", "4"};
  const Arguments exchange = {"alltoall", "--torus", "2x2"};
  const Arguments more = {"--routing", "deterministic", "--tie",      "plus",
                          "--tying",   "any",           "--queues",   "3",
                          "--order",   "rank",          "--no-bubble"};
  for (const Arguments& command : {fft, exchange, kOnePoisson}) {
    const json run = shown(command + more)["runs"][0];
    EXPECT_EQ(run["routing"], "deterministic") << command[0];
    EXPECT_EQ(run["tie"], "plus") << command[0];
    EXPECT_EQ(run["tying"], "any") << command[0];
    EXPECT_EQ(run["output_queues"], 3) << command[0];
    EXPECT_EQ(run["order"], "rank") << command[0];
    EXPECT_EQ(run["bubble_rule"], false) << command[0];
  }
  const json failed =
      shown({"alltoall", "--torus", "4x4", "--fail-link", "(0,0)X+", "--long-way"})["runs"][0];
  EXPECT_EQ(failed["failed_links"].dump(), R"(["(0,0)X+"])");
  const json bench =
      shown({"bench", "latency", "--route", "direct", "-i", "1", "--sizes", "8"})["benches"][0];
  EXPECT_EQ(bench["head"]["route"], "direct");
}

TEST_F(ReportOption, HasNoLinkLoadsOnTheDirectRoute) {
  const Arguments run = {"alltoall", "--torus", "2x2", "--fabric", "shm", "--route"};
  EXPECT_TRUE(shown(run + Arguments{"torus"})["runs"][0].contains("loads"));
  EXPECT_FALSE(shown(run + Arguments{"direct"})["runs"][0].contains("loads"));
}

TEST_F(ReportOption, ShowsOneSliceOfAMatrix) {
  const Arguments rows = {"fft", "--method", "rows", "--torus", "2", "--size"};
  EXPECT_EQ(shown(rows + Arguments{"8x6"})["runs"][0]["slices"].size(), 2u);
  const json four = shown(rows + Arguments{"4x3x2x5"})["runs"][0]["slices"];
  EXPECT_EQ(four.size(), 6u);
  EXPECT_EQ(four[3]["where"], "k0 = 0, k1 = 0");
}

TEST_F(ReportOption, OmitsTheRecordingOfAMachineTooLargeForAPage) {
  const json run = shown({"alltoall", "--torus", "5x5x5x5x5x10", "--peers", "1"})["runs"][0];
  EXPECT_FALSE(run.contains("recording"));
  EXPECT_EQ(run["nodes"], 31250);
}

TEST_F(ReportOption, HasTheCommandAndDateOfThePage) {
  const Surroundings here = {.directory = directory_.path()};
  ASSERT_EQ(run_process(kOneExchange + Arguments{"--json", "a.json"}, here).exit_code, 0);
  ASSERT_EQ(run_process({"report", "a.json"}, here).exit_code, 0);
  const json data = data_of("report.html");
  EXPECT_EQ(data["about"]["command"], TOROID_COMMAND + std::string(" report a.json"));
  EXPECT_THAT(data["runs"][0]["command"], HasSubstr("alltoall --torus 2x3 --json a.json"));
  for (const char* key : {"version", "git_hash", "date"})
    EXPECT_TRUE(data["about"].contains(key)) << key;
}

TEST(Provenance, QuotesSpecialCharactersOfTheShell) {
  EXPECT_EQ(command_line({"toroid", "fft", "--in=a.npy", "+-+", "8x8"}),
            "toroid fft --in=a.npy +-+ 8x8");
  EXPECT_EQ(command_line({"a b", "", "it's", "$x", "(0,0)X+", "*", "#"}),
            R"('a b' '' 'it'\''s' '$x' '(0,0)X+' '*' '#')");
}

TEST(Provenance, IsInTheResultOfEveryCommand) {
  const TemporaryDirectory directory;
  for (const Arguments& arguments :
       scaled(std::vector{kOneFft, kOneExchange, kOneComparison, kOneSweep, kOneBench, kOnePaper,
                          kOnePoisson, Arguments{"hello", "--torus", "2"}, Arguments{"info"}})) {
    const json result = json_by(run_process, arguments);
    EXPECT_THAT(result["command"].get<std::string>(), HasSubstr(arguments[0])) << arguments[0];
    EXPECT_THAT(result["date"].get<std::string>(),
                MatchesRegex("20..-[01].-[0-3].T[0-2].:[0-5].:[0-6].Z"));
  }
}

TEST(Provenance, CommandRunsInAShell) {
  const TemporaryDirectory directory;
  directory.save("it's a $machine.toml", "hop_latency_cycles = 70\n");
  const json first =
      json_by(run_process, {"alltoall", "--torus", "2x3", "--machine", "it's a $machine.toml"},
              {.directory = directory.path()});
  const Ended again =
      run_process({"-c", first["command"]}, {.directory = directory.path(), .program = "/bin/sh"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["result_hash"], first["result_hash"]);
}

TEST(Provenance, IsNotInTheHash) {
  const TemporaryDirectory directory;
  for (const Arguments& arguments :
       scaled(std::vector{kOneFft, kOneExchange, kOneComparison, kOneSweep, kOnePaper})) {
    const json plain = json_by(run_process, arguments);
    const json other =
        json_by(run_process, arguments + Arguments{"--report", directory / "r.html", "--quiet"});
    EXPECT_NE(plain["command"], other["command"]);
    EXPECT_EQ(plain["result_hash"], other["result_hash"]) << arguments[0];
  }
}

TEST(Provenance, IsNotInACampaignsJournal) {
  const TemporaryDirectory directory;
  const Surroundings here = {.directory = directory.path()};
  const json first = json_of(kOneComparison + Arguments{"--resume", "journal"}, here);
  const std::string journal = directory.content_of("journal");
  const json again = json_of(kOneComparison + Arguments{"--quiet", "--resume", "./journal"}, here);
  EXPECT_EQ(directory.content_of("journal"), journal);
  EXPECT_EQ(again["rows"], first["rows"]);
  for (const char* key : {"\"command\"", "\"date\""})
    EXPECT_EQ(journal.find(key), journal.npos) << key;
}

}  // namespace
}  // namespace toroid::testing
