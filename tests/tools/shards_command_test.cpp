// compare and sweep in shards, and toroid merge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/text/json.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Arguments kDivided = {
    "compare", "--torus",     "4x4,2x3m", "--policies", "random,rank,bruck:2",
    "--bytes", "240:720:240", "--seeds",  "1:2"};
const Arguments kBytesDivided = {"sweep",   "--axis",     "bytes",      "--torus",    "4x4",
                                 "--bytes", "240:4kB:x4", "--policies", "random,rank"};
const Arguments kLoadDivided = {"sweep",
                                "--axis",
                                "load",
                                "--torus",
                                "4x4",
                                "--policies",
                                "random,deterministic,first-fit",
                                "--load",
                                "0.2:1:0.4",
                                "--refine",
                                "2",
                                "--window",
                                "3000"};

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns the file without wall-clock times, dates and command lines.
std::string lasting_json(const TemporaryDirectory& directory, const std::string& name) {
  std::string text;
  for (const std::string& line : split_lines(directory.content_of(name)))
    if (line.find("\"wall_s\"") == std::string::npos &&
        line.find("\"command\"") == std::string::npos && line.find("\"date\"") == std::string::npos)
      text += line + "\n";
  return text;
}

/// Returns the file without the column wall_s. No cell of these campaigns has a comma.
std::string lasting_csv(const TemporaryDirectory& directory, const std::string& name) {
  std::string text;
  std::ptrdiff_t left_out = -1;
  for (const std::string& line : split_lines(directory.content_of(name))) {
    std::istringstream stream(line);
    std::ptrdiff_t column = 0;
    for (std::string cell; std::getline(stream, cell, ','); ++column) {
      if (cell == "wall_s") left_out = column;
      if (column != left_out) text += cell + ',';
    }
    text += '\n';
  }
  return text;
}

std::string journal_name(std::size_t shard) {
  return "run-" + std::to_string(shard) + ".journal";
}

Arguments journals_of(std::size_t shards) {
  Arguments names;
  for (std::size_t i = 1; i <= shards; ++i) names.push_back(journal_name(i));
  return names;
}

Arguments as_shard(const Arguments& campaign, std::size_t index, std::size_t count) {
  return campaign + Arguments{"--shard", std::to_string(index) + "/" + std::to_string(count),
                              "--resume", "run-{shard}.journal", "--quiet"};
}

Ended ended_in(const TemporaryDirectory& directory, const Arguments& arguments) {
  return run_command(arguments, {.directory = directory.path()});
}

void run_shards(const TemporaryDirectory& directory, const Arguments& campaign,
                std::size_t shards) {
  for (std::size_t i = shards; i > 0; --i) {  // in any order
    const Ended ended = ended_in(directory, as_shard(campaign, i, shards));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
}

void expect_merged_as_whole(const TemporaryDirectory& directory, const Arguments& campaign,
                            std::size_t shards) {
  const Ended whole =
      ended_in(directory, campaign + Arguments{"--json", "whole.json", "--csv", "whole.csv"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Ended merged =
      ended_in(directory, Arguments{"merge", "--json", "merged.json", "--csv", "merged.csv"} +
                              journals_of(shards));
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_GT(whole.out.size(), 100u);
  EXPECT_EQ(merged.out, whole.out);
  EXPECT_EQ(merged.err, "");
  EXPECT_EQ(lasting_json(directory, "merged.json"), lasting_json(directory, "whole.json"));
  EXPECT_EQ(lasting_csv(directory, "merged.csv"), lasting_csv(directory, "whole.csv"));
}

TEST(Merge, EqualsTheUndividedRun) {
  for (const Arguments& campaign :
       {kDivided, kBytesDivided, kLoadDivided, kDivided + Arguments{"--columns", "network"},
        Arguments{"sweep", "--axis", "nodes", "--torus", "4x4,2x2", "--policies", "random,rank",
                  "--machine", "bgl,bgp"},
        Arguments{"compare", "--workload", "fft:8,fft:8:slab", "--torus", "2x2x2", "--policies",
                  "random,rank"},
        Arguments{"compare", "--torus", "5", "--fail-link", "none", "--fail-link", "(0)X+",
                  "--long-way", "--policies", "random"}})
    for (const std::size_t shards : {std::size_t{1}, std::size_t{3}}) {
      const TemporaryDirectory directory;
      run_shards(directory, campaign, shards);
      expect_merged_as_whole(directory, campaign, shards);
    }
}

TEST(Merge, AcceptsMoreShardsThanCases) {
  const TemporaryDirectory directory;
  const Arguments two = {"compare", "--torus", "2x2", "--policies", "random,rank"};
  run_shards(directory, two, 5);
  expect_merged_as_whole(directory, two, 5);
}

/// A shard resumes after it is killed between two cases or while it writes a line.
TEST(Merge, EqualsTheUndividedRunAfterAShardIsKilledAndResumed) {
  const TemporaryDirectory directory;
  const Arguments slow = {"compare",    "--torus",     full_or("6x6x6", "4x4x4"),
                          "--policies", "random,rank", "--bytes",
                          "480:487:1"};
  for (const std::size_t i : {1u, 2u}) {
    RunningCommand running(as_shard(slow, i, 2), {.directory = directory.path()});
    const auto lines = [&] {
      const std::vector<std::string> names = directory.entries();
      return std::ranges::find(names, journal_name(i)) == names.end()
                 ? 0
                 : split_lines(directory.content_of(journal_name(i))).size();
    };
    EXPECT_TRUE(comes_true([&] { return lines() >= 2; }));
    running.signal(SIGKILL);
    EXPECT_EQ(running.wait().signal, SIGKILL);
  }
  expect_refusal(directory, Arguments{"merge"} + journals_of(2),
                 {"not finished", "missing from shard 2/2, "});
  std::string torn = directory.content_of(journal_name(1));
  torn.resize(torn.size() - 20);
  directory.save(journal_name(1), torn);
  run_shards(directory, slow, 2);
  expect_merged_as_whole(directory, slow, 2);
}

TEST(Merge, NamesMissingShardsAndCases) {
  const TemporaryDirectory directory;
  run_shards(directory, kBytesDivided, 3);
  const auto refused = [&](const Arguments& journals, const std::vector<std::string>& words) {
    expect_refusal(directory, Arguments{"merge"} + journals, words);
  };
  refused({"run-1.journal", "run-3.journal"},
          {"2 of 6 cases are not finished; the first one: random, all-to-all, 4x4, 960 bytes",
           "missing from shard 2/3, no journal given: 2"});
  std::string text = directory.content_of("run-2.journal");
  text.resize(text.size() - 5);
  directory.save("torn.journal", text);
  refused({"run-1.journal", "torn.journal", "run-3.journal"},
          {"1 of 6 cases is not finished", "missing from shard 2/3, torn.journal: 1"});
  refused({}, {"JOURNALS"});
  refused({"none.journal"}, {"none.journal", "cannot be read"});
  refused({"run-1.journal", "./run-1.journal"}, {"are the same journal"});
  refused({"run-1.journal", "--json", "run-1.journal"},
          {"run-1.journal", "would overwrite the other"});
}

TEST(Merge, RefusesAJournalWithoutARefinedPoint) {
  const TemporaryDirectory directory;
  run_shards(directory, kLoadDivided, 1);
  std::string text = directory.content_of(journal_name(1));
  const std::size_t last = text.rfind('\n', text.size() - 2);
  directory.save(journal_name(1), text.substr(0, last + 1));
  expect_refusal(directory, {"merge", journal_name(1)}, {"not finished", "offered"});
}

TEST(Merge, RefusesJournalsThatDoNotBelongTogether) {
  const TemporaryDirectory directory;
  run_shards(directory, kBytesDivided, 2);
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::vector<std::string>& words) {
    std::string text = directory.content_of("run-2.journal");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    directory.save("other.journal", text.replace(at, from.size(), to));
    expect_refusal(directory, {"merge", "run-1.journal", "other.journal"}, words);
  };
  refused("\"version\":\"", "\"version\":\"9", {"other.journal was written with version \"9"});
  refused("\"seed\":1", "\"seed\":2", {"other.journal was written with seed 2, not 1"});
  refused("\"machine_numbers\":[\"", "\"machine_numbers\":[\"0", {"machine_numbers"});
  refused("--torus=4x4", "--torus=4x5",
          {"other.journal belongs to another campaign", "--torus=4x5"});
  refused("{\"case\"", "{\"cas\"", {"other.journal, line 2: expected a finished case"});
  refused("{\"toroid_journal\"", "{\"x\"", {"other.journal is not a toroid journal"});
  refused("\"campaign\":", "\"x\":", {"other.journal does not record its command"});
  directory.save("one.journal", directory.content_of("run-1.journal"));
  EXPECT_EQ(
      ended_in(directory, {"merge", "run-1.journal", "one.journal", "run-2.journal"}).exit_code,
      0);  // equal rows are accepted
  const auto lines = split_lines(directory.content_of("run-1.journal"));
  const Json header = Json::parse(lines[0]), finished = Json::parse(lines[1]);
  Json other = finished["row"];
  other["cycles"] = other["cycles"].get<int>() + 1;
  Journal(directory / "one.journal", header["settings"], header["campaign"])
      .add(finished["case"], other);
  expect_refusal(directory, {"merge", "run-1.journal", "one.journal", "run-2.journal"},
                 {"run-1.journal and one.journal have different rows for the case"});
}

TEST(Merge, RefusesAJournalInUse) {
  const TemporaryDirectory directory;
  run_shards(directory, kBytesDivided, 1);
  const Json settings = Json::parse(split_lines(directory.content_of(journal_name(1))).front());
  const Journal open(directory / journal_name(1), settings["settings"]);
  expect_refusal(directory, {"merge", journal_name(1)}, {"run-1.journal is in use"});
}

TEST(Shards, PrintTheirOwnRowsAndTheirName) {
  const TemporaryDirectory directory;
  const Ended ended = ended_in(
      directory, {"compare", "--torus", "4x4", "--policies", "random,rank,shift", "--shard", "2/2",
                  "--resume", "{shard}.journal", "--json", "{shard}.json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(StartsWith("shard 2/2, 1 of 3 cases\n"), HasSubstr("\nrank ")));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("fastest")));
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"2.journal", "2.json"}));
  const auto report = nlohmann::json::parse(directory.content_of("2.json"));
  EXPECT_EQ(report["shard"], "2/2");
  EXPECT_EQ(report["rows"].size(), 1u);
  EXPECT_EQ(report["axes"]["policy"].size(), 3u);
}

TEST(Shards, AreRefusedIfTheyCouldNotBeMerged) {
  const TemporaryDirectory directory;
  const Arguments compare = {"compare", "--torus", "2x2", "--policies", "random,rank"};
  expect_refusal(directory, compare + Arguments{"--shard", "1/2"}, {"--shard 1/2 needs --resume"});
  expect_refusal(directory, compare + Arguments{"--shard", "3/2", "--resume", "j"}, {"'3/2'"});
  expect_refusal(directory, compare + Arguments{"--shard", "1/2", "--resume", "j", "--validate"},
                 {"--validate needs all cases"});
  ASSERT_EQ(ended_in(directory, as_shard(compare, 1, 2)).exit_code, 0);
  expect_refusal(directory, compare + Arguments{"--shard", "2/2", "--resume", "run-1.journal"},
                 {"run-1.journal belongs to shard 1/2, not 2/2"});
}

TEST(Shards, DefaultToTheSlurmArrayTask) {
  const TemporaryDirectory directory;
  const Arguments compare = {"compare", "--torus", "2x2", "--policies", "random,rank,shift"};
  ::setenv("SLURM_ARRAY_TASK_COUNT", "3", 1);
  ::setenv("SLURM_ARRAY_TASK_MIN", "0", 1);
  for (const char* id : {"0", "1", "2"}) {
    ::setenv("SLURM_ARRAY_TASK_ID", id, 1);
    EXPECT_EQ(ended_in(directory, compare + Arguments{"--resume", "run-{shard}.journal"}).exit_code,
              0);
  }
  expect_refusal(directory, compare, {"--shard 3/3 needs --resume", "SLURM_ARRAY_TASK_ID"});
  const Ended merged = ended_in(directory, Arguments{"merge"} + journals_of(3));
  const Ended whole = ended_in(directory, compare + Arguments{"--shard", "1/1"});
  for (const char* name : {"ID", "COUNT", "MIN"})
    ::unsetenv((std::string("SLURM_ARRAY_TASK_") + name).c_str());
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(merged.out, whole.out);
}

/// A second campaign, which has more policies, resumes the journal of the first. The journal then
/// belongs to the second campaign.
TEST(Merge, UsesTheLastCampaignOfAJournal) {
  const TemporaryDirectory directory;
  const auto compare = [&](const char* policies) {
    return ended_in(directory, {"compare", "--torus", "2x2", "--policies", policies, "--resume",
                                "j", "--columns", "network"});
  };
  (void)compare("random");
  const Ended more = compare("random,rank");
  EXPECT_EQ(ended_in(directory, {"merge", "j"}).out, more.out);
}

TEST(Merge, KeepsTheExitCodeOfAFailedRow) {
  const TemporaryDirectory directory;
  const Arguments cut = {"compare", "--torus", "4", "--fail-link", "(0)X+", "--policies", "random"};
  const Ended whole = ended_in(directory, cut);
  ASSERT_EQ(whole.exit_code, 1) << whole.out;
  EXPECT_EQ(ended_in(directory, as_shard(cut, 1, 2)).exit_code, 1);
  EXPECT_EQ(ended_in(directory, as_shard(cut, 2, 2)).exit_code, 0);
  const Ended merged = ended_in(directory, Arguments{"merge"} + journals_of(2));
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_EQ(merged.out, whole.out);
}

}  // namespace
}  // namespace toroid::testing
