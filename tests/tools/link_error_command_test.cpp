// Link errors on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const Arguments kSmall = {"alltoall", "--torus", "4x4", "--bytes", "960"};

TEST(LinkErrors, AreCountedInTheResult) {
  const json result = json_of(kSmall + Arguments{"--link-error", "0.01"});
  EXPECT_GT(result["links"]["errors"], 5);
  EXPECT_GT(result["links"]["repeats"], 5);
  EXPECT_EQ(result["links"]["crc_mismatches"], 0);
  EXPECT_EQ(result["link_errors"]["rates"][0]["rate"], 0.01);
  EXPECT_EQ(result["link_errors"]["rates"][0]["link"], nullptr);
  EXPECT_EQ(result["link_errors"]["faults"].size(), 5u);
}

TEST(LinkErrors, AreAbsentFromResultsOfSoundLinks) {
  const json result = json_of(kSmall);
  EXPECT_FALSE(result.contains("link_errors"));
  EXPECT_FALSE(result["links"].contains("errors"));
}

TEST(LinkErrors, OfRateZeroDoNotChangeTheTime) {
  EXPECT_EQ(json_of(kSmall)["cycles"], json_of(kSmall + Arguments{"--link-error", "0"})["cycles"]);
}

TEST(LinkErrors, DependOnTheSeedAndNotOnThreads) {
  const Arguments erring = kSmall + Arguments{"--link-error", "0.05"};
  const json one = json_of(erring + Arguments{"--threads", "1"});
  EXPECT_EQ(one["result_hash"], json_of(erring + Arguments{"--threads", "3"})["result_hash"]);
  bool differs = false;
  for (const std::string seed : {"2", "3", "4"})
    differs |=
        json_of(erring + Arguments{"--seed", seed})["links"]["errors"] != one["links"]["errors"];
  EXPECT_TRUE(differs);
}

TEST(LinkErrors, OfOneLinkOccurOnlyOnIt) {
  const json result = json_of(kSmall + Arguments{"--link-error", "0", "--link-error", "0.5@(1,2)X+",
                                                 "--link-faults", "drop"});
  EXPECT_EQ(result["links"]["errors"], result["links"]["repeats"]);
  const auto packets = result["links"]["max_load"].get<double>();
  EXPECT_NEAR(result["links"]["errors"].get<double>(), packets, 4 * 2 * packets / 5);
}

TEST(LinkErrors, DoNotChangeTransformResults) {
  for (const std::string fabric : {"sim", "shm"})
    for (const std::string method : {"volumetric", "slab"}) {
      const Arguments torus = {"--torus", method == "slab" ? "4" : "2x2x2"};
      const json result = json_of(Arguments{"fft", "--size", "16", "--method", method, "--check",
                                            "--fabric", fabric, "--link-error", "0.05"} +
                                  torus);
      EXPECT_LT(result["max_error"], 1e-12);
      EXPECT_GT(result["links"]["errors"], 0);
      EXPECT_EQ(result["links"]["crc_mismatches"], 0);
    }
}

TEST(LinkErrors, SilentErrorsFailTheRunAndNameTheLink) {
  const TemporaryDirectory directory;
  for (const std::string fabric : {"sim", "shm"}) {
    const Ended ended = run_command(
        kSmall + Arguments{"--fabric", fabric, "--link-error", "0", "--link-error", "0.5@(0,1)X+",
                           "--link-faults", "silent", "--json", "r.json", "--quiet"},
        {.directory = directory.path()});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err_lines(), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("(0,1)X+"));
    if (fabric == "shm") continue;  // on shm the payload itself is corrupt
    const json result = json::parse(std::ifstream(directory.path() / "r.json"));
    EXPECT_EQ(result["links"]["crc_mismatches"], 1);
    EXPECT_EQ(result["links"]["unsound"], json({"(0,1)X+"}));
  }
}

TEST(LinkErrors, SilentErrorsFailTheirCampaignRow) {
  const TemporaryDirectory directory;
  const Ended ended = run_command(
      {"compare", "--torus", "4x4", "--bytes", "960", "--policies", "random", "--link-error",
       "none", "--link-error", "0.5@(0,1)X+", "--link-faults", "silent"},
      {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out + ended.err, HasSubstr("(0,1)X+"));
}

TEST(LinkErrors, AboveTheLimitFailTheLinkWithoutLoss) {
  const Arguments erring = {"alltoall",    "--torus",    "4x4",
                            "--bytes",     "24000",      "--link-error",
                            "0.2@(0,0)X+", "--long-way", "--link-error-limit"};
  const json result = json_of(erring + Arguments{"5"});
  ASSERT_EQ(result["links"]["failed"].size(), 1u);
  EXPECT_THAT(result["links"]["failed"][0].get<std::string>(),
              HasSubstr("(0,0)X+ failed at cycle"));
  EXPECT_FALSE(json_of(erring + Arguments{"1000000"})["links"].contains("failed"));
}

TEST(LinkErrors, AreAnAxisOfCompare) {
  const json result = json_of({"compare", "--torus", "4x4", "--bytes", "960", "--policies",
                               "random,rank", "--link-error", "none", "--link-error", "0.02"});
  const json& rows = result["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const json& row : rows) {
    const bool errs = row["link_error"] == "0.02";
    EXPECT_EQ(row["links"].contains("repeats"), errs);
    EXPECT_EQ(row["links"].value("repeats", 0) > 0, errs);
  }
  const Arguments one = kSmall + Arguments{"--policy", "rank", "--link-error", "0.02"};
  for (const json& row : rows) {
    const bool is_that_one = row["policy"] == "rank" && row["link_error"] == "0.02";
    EXPECT_EQ(row["cycles"] == json_of(one)["cycles"], is_that_one);
  }
}

TEST(LinkErrors, BurstsAffectOnlyTheMachineWithErrors) {
  const Arguments campaign = {"compare", "--torus",   "4x4",
                              "--bytes", "960",       "--policies",
                              "random",  "--machine", "bgl,bgl:link_error_rate=0.02"};
  const json usual = json_of(campaign);
  const json bursts = json_of(campaign + Arguments{"--link-burst", "3"});
  ASSERT_EQ(bursts["rows"].size(), 2u);
  EXPECT_FALSE(bursts["rows"][0]["links"].contains("repeats"));
  EXPECT_GT(bursts["rows"][1]["links"]["repeats"], 0);
  EXPECT_NE(bursts["rows"][1]["links"]["repeats"], usual["rows"][1]["links"]["repeats"]);
}

TEST(LinkErrors, AxisValueNoneOverridesTheMachine) {
  for (const std::string machines : {"bgl:link_error_rate=1e-4", "bgl,bgl:link_error_rate=1e-4"})
    EXPECT_EQ(json_of({"compare", "--torus", "2x2", "--bytes", "960", "--policies", "random",
                       "--fabric", "shm", "--route", "direct", "--machine", machines,
                       "--link-error", "none"})["rows"][0]["link_error"],
              "none");
}

TEST(LinkErrors, JournalDistinguishesFaultOptions) {
  const TemporaryDirectory directory;
  const auto repeats = [&](const Arguments& more) {
    const Arguments campaign = {"compare",
                                "--torus",
                                "4x4",
                                "--bytes",
                                "960",
                                "--policies",
                                "random",
                                "--link-error",
                                "0.02",
                                "--resume",
                                directory / "journal"};
    return json_of(campaign + more)["rows"][0]["links"]["repeats"].get<unsigned>();
  };
  const unsigned usual = repeats({});
  const unsigned bursts = repeats({"--link-burst", "5"});
  EXPECT_NE(usual, bursts);
  EXPECT_EQ(repeats({}), usual);
  EXPECT_EQ(repeats({"--link-burst", "5"}), bursts);
}

TEST(LinkErrors, JournalRestoresErrorsAndFailedLinks) {
  for (const Arguments& more :
       {Arguments{"--link-error", "0.02"},
        {"--link-error", "0.2@(0,0)X+", "--link-error-limit", "5", "--long-way"},
        {"--fail-link", "(0,0)X+@500", "--long-way"},
        {"--link-error", "0.02", "--fabric", "shm"}}) {
    const TemporaryDirectory directory;
    const Arguments campaign = Arguments{"compare", "--torus",  "4x4",
                                         "--bytes", "24000",    "--policies",
                                         "random",  "--resume", directory / "journal"} +
                               more;
    EXPECT_EQ(json_of(campaign)["rows"], json_of(campaign)["rows"]);
  }
}

TEST(LinkErrors, MayComeFromTheMachineFile) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "m.toml";
  std::ofstream(file) << "name = \"worn\"\nlink_error_rate = 0.02\nlink_timeout_cycles = 100\n";
  const json worn = json_of(kSmall + Arguments{"--machine", file.string()});
  const json given = json_of(kSmall + Arguments{"--link-error", "0.02"});
  EXPECT_EQ(worn["links"]["errors"].get<int>() > 0, true);
  EXPECT_NE(worn["cycles"], given["cycles"]);  // the file also sets the timeout
}

TEST(LinkErrors, AreRefusedIfInvalidOrWithoutEffect) {
  const TemporaryDirectory directory;
  const auto refused = [&](const Arguments& more, const std::string& word) {
    expect_refusal(directory, kSmall + more, {word});
  };
  refused({"--link-error", "0.7"}, "0 to 0.5");
  refused({"--link-error", "x"}, "'x'");
  refused({"--link-error", "1e-3@(9,9)X+"}, "(9,9)X+");
  for (const Arguments& faults :
       {Arguments{"--link-faults", "drop"}, {"--link-burst", "3"}, {"--link-error-limit", "3"}})
    refused(faults, "has no effect on alltoall (it works with --link-error)");
  refused({"--fabric", "shm", "--link-error", "0.1", "--link-error-limit", "3"},
          "(it works with --fabric sim)");
  refused({"--fabric", "ofi", "--fail-link", "(0,1)X+@5"}, "on sim and shm only");
  refused({"--fail-link", "(0,1)X+@x"}, "'(0,1)X+@x'");
  refused({"--link-error", "0.1", "--link-faults", "lose"}, "'lose'");
  refused({"--fabric", "shm", "--route", "direct", "--link-error", "0.1"}, "--route torus");
  for (const std::string route : {"direct", "torus"})
    refused({"--fabric", "ofi", "--route", route, "--link-error", "0.1", "--link-error-limit", "3"},
            "(it works with --fabric sim)");
}

TEST(LinkErrors, AreRefusedInACampaignBeforeItsFirstRun) {
  const TemporaryDirectory directory;
  const auto refused = [&](const Arguments& more, const std::string& word) {
    expect_refusal(directory, Arguments{"compare", "--torus", "4x4"} + more, {word});
  };
  refused({"--link-error", "1e-3@(9,9)X+"}, "(9,9)X+");
  refused({"--link-error", "1e-3@\xff"}, "\xff");
  refused({"--fabric", "shm", "--link-error", "0.1", "--link-error-limit", "3"},
          "(it works with --fabric sim)");
  refused({"--validate", "--link-error", "0.1", "--link-error-limit", "3"},
          "(it works without --validate)");
  expect_refusal(directory, {"compare", "--torus", "4x4", "--link-error", "2"}, {"'2'"});
  expect_refusal(directory,
                 {"compare", "--torus", "4x4", "--link-error", "none", "--link-burst", "3"},
                 {"--link-burst has no effect on compare", "(it works with --link-error)"});
  expect_refusal(directory, {"compare", "--torus", "4x4", "--link-error-limit", "3"},
                 {"has no effect on compare (it works with --link-error)"});
}

}  // namespace
}  // namespace toroid::testing
