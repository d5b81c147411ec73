// Campaigns: cases on several threads, the journal of finished cases, CSV files and tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/lab/campaign/campaign.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/result_formats.hpp"
#include "tools/run/progress.hpp"
#include "tools/text/json.hpp"
#include "tools/text/table.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;
using toroid::testing::TemporaryDirectory;

const Json kSettings = {{"version", "1"}, {"seed", 7}, {"machine", "bgl"}};

std::string journal_refusal(const std::string& path, const Json& settings = kSettings) {
  try {
    const Journal journal(path, settings);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(Journal, ReturnsAddedRows) {
  const TemporaryDirectory directory;
  const Json row = {
      {"time_s", 0.5}, {"cycles", 12}, {"share", 0.1}, {"text", "a\"b\n"}, {"none", nullptr}};
  {
    Journal journal(directory / "j", kSettings);
    EXPECT_EQ(journal.find("a"), nullptr);
    journal.add("a", row);
    journal.add("b \n", {{"time_s", 1}});
  }
  const Journal journal(directory / "j", kSettings);
  EXPECT_EQ(journal.size(), 2u);
  ASSERT_NE(journal.find("a"), nullptr);
  EXPECT_EQ(journal.find("a")->dump(), row.dump());
  EXPECT_NE(journal.find("b \n"), nullptr);
}

TEST(Journal, DropsATruncatedLastLine) {
  const TemporaryDirectory directory;
  const std::string path = directory / "j";
  {
    Journal journal(path, kSettings);
    journal.add("a", {{"time_s", 1}});
  }
  const std::string kept = directory.content_of("j");
  Journal(path, kSettings).add("b", {{"time_s", 2}});
  const std::string whole = directory.content_of("j");
  for (std::size_t size = kept.size(); size < whole.size(); ++size) {
    directory.save("j", whole.substr(0, size));
    Journal journal(path, kSettings);
    EXPECT_EQ(journal.size(), 1u);
    EXPECT_EQ(directory.content_of("j"), kept);
    journal.add("b", {{"time_s", 2}});
    EXPECT_EQ(directory.content_of("j"), whole);
  }
}

TEST(Journal, StartsAnewIfItsFirstLineIsTruncated) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings);
  const std::string whole = directory.content_of("j");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() - 1}) {
    directory.save("j", whole.substr(0, size));
    EXPECT_EQ(Journal(directory / "j", kSettings).size(), 0u);
    EXPECT_EQ(directory.content_of("j"), whole);
  }
}

TEST(Journal, RefusesOtherSettingsAndNamesThem) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings);
  for (const auto& [name, value] : kSettings.items()) {
    Json other = kSettings;
    other[name] = "another";
    EXPECT_THAT(journal_refusal(directory / "j", other), HasSubstr(name + " " + value.dump()));
  }
}

TEST(Journal, RefusesOtherFilesAndLeavesThemUnchanged) {
  const TemporaryDirectory directory;
  const std::string good =
      R"({"toroid_journal":3,"settings":{"version":"1","seed":7,"machine":"bgl"}})";
  for (const auto& [content, words] :
       {std::pair{std::string("my notes"), "not a toroid journal"},
        {std::string("my notes\n"), "not a toroid journal"},
        {std::string("[]\n"), "not a toroid journal"},
        {std::string("{\"toroid_journal\":2}\n"), "not a toroid journal"},
        {std::string("{\"toroid_journal\":\"x\"}\n"), "not a toroid journal"},
        {good + "\n{}\n", "line 2"},
        {good + "\n{\"case\":\"a\",\"row\":{\"time_s\":1}}\n\n", "line 2"},
        {good + "\n{\"case\":1,\"row\":{}}\n", "line 2"}}) {
    directory.save("j", content);
    EXPECT_THAT(journal_refusal(directory / "j"), HasSubstr(words));
    EXPECT_EQ(directory.content_of("j"), content);
  }
  EXPECT_THAT(journal_refusal(directory.path()), HasSubstr("cannot be written"));
  EXPECT_THAT(journal_refusal("/dev/null"), HasSubstr("is not a regular file"));
  EXPECT_THAT(journal_refusal(directory / "missing/j"), HasSubstr("cannot be written"));
}

TEST(Journal, RefusesARowWithAnyByteChanged) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings).add("a", {{"time_s", 1.5}, {"links", {{"max_load", 3}}}});
  const std::string whole = directory.content_of("j");
  const std::size_t begin = whole.find('\n') + 1;
  for (std::size_t at = begin; at + 1 < whole.size(); ++at)
    for (const char change : {'\1', '\x20'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      directory.save("j", changed);
      EXPECT_THAT(journal_refusal(directory / "j"), HasSubstr("/j, line 2: ")) << changed;
    }
  directory.save("j", whole);
  EXPECT_EQ(journal_refusal(directory / "j"), "");
}

TEST(Journal, RefusesAnotherFormatAndNamesIt) {
  const TemporaryDirectory directory;
  directory.save("j", R"({"toroid_journal":2,"settings":{"version":"1","seed":7,"machine":"bgl"}})"
                      "\n");
  EXPECT_THAT(journal_refusal(directory / "j"),
              HasSubstr("has journal format 2; this toroid reads format 3"));
}

TEST(Journal, ShortensLongValuesInMessages) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings);
  Json other = kSettings;
  other["machine"] = std::string(100000, 'y');
  EXPECT_LT(journal_refusal(directory / "j", other).size(), 300u);
}

TEST(Journal, BelongsToOneRunAtATime) {
  const TemporaryDirectory directory;
  const Journal first(directory / "j", kSettings);
  EXPECT_THAT(journal_refusal(directory / "j"), HasSubstr("in use"));
}

std::vector<std::string> case_keys(unsigned count) {
  std::vector<std::string> all;
  for (unsigned i = 0; i < count; ++i) all.push_back("case " + std::to_string(i));
  return all;
}

CampaignRun quiet_campaign(unsigned at_once, Journal* journal = nullptr) {
  return {.at_once = at_once, .quiet = true, .failures_last = true, .finished = journal};
}

Json squared(std::size_t i) {
  return {{"square", i * i}};
}

TEST(Campaign, KeepsTheOrderOfItsCasesOnAnyNumberOfThreads) {
  const auto all = case_keys(37);
  const std::vector<Json> one = run_campaign(quiet_campaign(1), all, squared);
  EXPECT_EQ(one[36]["square"], 36u * 36);
  for (const unsigned threads : {2u, 5u, 100u})
    EXPECT_EQ(run_campaign(quiet_campaign(threads), all, squared), one);
  EXPECT_TRUE(run_campaign(quiet_campaign(3), {}, squared).empty());
}

TEST(Campaign, ResumesFromAJournal) {
  const TemporaryDirectory directory;
  const auto all = case_keys(20);
  const std::vector<Json> expected = run_campaign(quiet_campaign(1), all, squared);
  for (const unsigned before : {0u, 1u, 7u, 20u}) {
    std::filesystem::remove(directory / "j");
    std::atomic<unsigned> made = 0;
    const auto counted = [&](std::size_t i) {
      ++made;
      return squared(i);
    };
    Journal journal(directory / "j", kSettings);
    run_campaign(quiet_campaign(2, &journal), case_keys(before), counted);
    EXPECT_EQ(run_campaign(quiet_campaign(2, &journal), all, counted), expected);
    EXPECT_EQ(made, 20u);
  }
}

TEST(Campaign, TurnsAFailureIntoARowAndRunsTheRest) {
  const TemporaryDirectory directory;
  const auto fails_at_2 = [](std::size_t i) {
    if (i == 2) throw RunFailed("a deadlock\nof two lines");
    if (i == 3) throw std::bad_alloc();
    return squared(i);
  };
  for (const bool last : {true, false}) {
    std::filesystem::remove(directory / "j");
    Journal journal(directory / "j", kSettings);
    CampaignRun options = quiet_campaign(2, &journal);
    options.failures_last = last;
    const std::vector<Json> rows = run_campaign(options, case_keys(5), fails_at_2);
    EXPECT_EQ(rows[2]["error"].get<std::string>().find('\n'), std::string::npos);
    EXPECT_EQ(rows[3]["error"], "not enough memory");
    EXPECT_EQ(rows[4]["square"], 16);
    // The lack of memory is never in the journal, because memory may suffice next time.
    EXPECT_EQ(journal.size(), last ? 4u : 3u);
  }
}

TEST(Campaign, ShowsRowsInCaseOrder) {
  const auto all = case_keys(20);
  std::vector<std::size_t> shown;
  CampaignRun options = quiet_campaign(4);
  options.show = [&](std::size_t i, const Json& row) {
    EXPECT_EQ(row["square"], i * i);
    shown.push_back(i);
  };
  const auto later_ones_first = [](std::size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 == 0 ? 10 : 0));
    return squared(i);
  };
  run_campaign(options, all, later_ones_first);
  ASSERT_EQ(shown.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(shown));
}

TEST(Campaign, EndsIfRowsCannotBeShown) {
  CampaignRun options = quiet_campaign(2);
  options.show = [](std::size_t i, const Json&) {
    if (i == 3) throw RunFailed("nobody reads");
  };
  EXPECT_THROW(run_campaign(options, case_keys(20), squared), RunFailed);
}

TEST(Csv, FlattensNestedValuesAndQuotesSpecialCharacters) {
  const std::vector<Json> rows = {
      {{"name", "a,\"b\""}, {"links", {{"max", 3}, {"mean", 1.5}}}, {"list", {1, 2.5}}},
      {{"name", "c"}, {"error", "x\ny"}}};
  EXPECT_EQ(csv_text(rows),
            "name,error,links_max,links_mean,list_0,list_1\n"
            "\"a,\"\"b\"\"\",,3,1.5,1,2.5\n"
            "c,\"x\ny\",,,,\n");
}

TEST(Csv, InsertsNewColumnsOfLaterRowsInTheirOrder) {
  const std::vector<Json> rows = {{{"a", 1}, {"error", "none"}},
                                  {{"a", 2}, {"list", {3}}, {"z", nullptr}, {"error", nullptr}},
                                  {{"a", 2}, {"list", {3, 4}}, {"z", 5}, {"error", nullptr}}};
  EXPECT_EQ(csv_text(rows),
            "a,list_0,list_1,z,error\n"
            "1,,,,none\n"
            "2,3,,,\n"
            "2,3,4,5,\n");
}

const std::vector<TableColumn> kColumns = {
    {"name", 9, true}, {"number", 8}, {"spare", 5, false, 1}, {"spare too", 9, false, 2}};

TEST(CampaignTable, HasFixedColumns) {
  const Table table(kColumns, 40);
  EXPECT_EQ(table.header(), "name         number  spare  spare too\n");
  EXPECT_EQ(table.line({"x", "12345678", "1", "2"}), "x          12345678      1          2\n");
  EXPECT_EQ(table.line({"long name", "a text that runs on"}), "long name  a text that runs on\n");
  EXPECT_EQ(table.remark(), "");
}

TEST(CampaignTable, HidesColumnsThatDoNotFitAndSaysSo) {
  EXPECT_EQ(Table(kColumns, 26).header(), "name         number  spare\n");
  EXPECT_EQ(Table(kColumns, 25).header(), "name         number\n");
  EXPECT_THAT(Table(kColumns, 25).remark(), HasSubstr("spare,"));
  EXPECT_THAT(Table(kColumns, 25).line({"x", "1", "2", "3"}), "x                 1\n");
}

TEST(CampaignTable, ShortensTextsAndLongNumbersVisibly) {
  const Table table(kColumns, 18);
  EXPECT_EQ(table.line({"long name", "1234567890", "", ""}), "long ...  1.23e+09\n");
  EXPECT_EQ(Table(kColumns, 40).line({"a longer name", "1", "", ""}), "a long...         1\n");
}

TEST(CampaignTable, WrapsAnErrorThatDoesNotFit) {
  const Table table(kColumns, 30);
  EXPECT_EQ(table.line({"x", "many words that need more than a line"}),
            "x\n"
            "    many words that need more\n"
            "    than a line\n");
}

TEST(PlainNumber, RemovesRoundingErrors) {
  EXPECT_EQ(plain_number(3.9999999999999996), 4);
  EXPECT_EQ(plain_number(0.1 + 0.2), 0.3);
  EXPECT_EQ(plain_number(-(0.1 + 0.7)), -0.8);
  EXPECT_EQ(plain_number(0), 0);
  EXPECT_EQ(plain_number(1e-300), 1e-300);
  EXPECT_TRUE(std::isnan(plain_number(std::nan(""))));
}

TEST(PlainNumber, KeepsOtherNumbersExactly) {
  for (const double number :
       {2917 / 700e6, 1.0 / 3, std::nextafter(1.0, 2) + 1e-13, 5e-324, 1e308, 123456789.0123456})
    EXPECT_EQ(plain_number(number), number);
  const Json json = {{"a", {0.1 + 0.2, "0.30000000000000004", 7u, 3.9999999999999996}},
                     {"b", 1.0 / 3},
                     {"c", {1e300, -2.0, nullptr}}};
  EXPECT_EQ(with_plain_numbers(json).dump(),
            R"({"a":[0.3,"0.30000000000000004",7,4],"b":0.3333333333333333,"c":[1e+300,-2,null]})");
}

TEST(Duration, IsRoundedUpToReadableUnits) {
  EXPECT_EQ(duration_text(0), "1 s");
  EXPECT_EQ(duration_text(11.2), "12 s");
  EXPECT_EQ(duration_text(119), "119 s");
  EXPECT_EQ(duration_text(120.5), "3 min");
  EXPECT_EQ(duration_text(7201), "2 h 1 min");
}

}  // namespace
}  // namespace toroid
