// What runs many cases and keeps what is finished: journal, threads, tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hal/check.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/lab/campaign.hpp"
#include "tools/lab/csv.hpp"
#include "tools/lab/table.hpp"

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

TEST(Journal, GivesBackWhatWasAdded) {
  const TemporaryDirectory directory;
  const Json row = {{"cycles", 12}, {"share", 0.1}, {"text", "a\"b\n"}, {"none", nullptr}};
  {
    Journal journal(directory / "j", kSettings);
    EXPECT_EQ(journal.find("a"), nullptr);
    journal.add("a", row);
    journal.add("b \n", {{"x", 1}});
  }
  const Journal journal(directory / "j", kSettings);
  EXPECT_EQ(journal.size(), 2u);
  ASSERT_NE(journal.find("a"), nullptr);
  EXPECT_EQ(journal.find("a")->dump(), row.dump());
  EXPECT_NE(journal.find("b \n"), nullptr);
}

TEST(Journal, DropsATornLastLineWhereverItIsTorn) {
  const TemporaryDirectory directory;
  const std::string path = directory / "j";
  {
    Journal journal(path, kSettings);
    journal.add("a", {{"x", 1}});
  }
  const std::string kept = directory.content_of("j");
  Journal(path, kSettings).add("b", {{"x", 2}});
  const std::string whole = directory.content_of("j");
  for (std::size_t size = kept.size(); size < whole.size(); ++size) {
    directory.save("j", whole.substr(0, size));
    Journal journal(path, kSettings);
    EXPECT_EQ(journal.size(), 1u);
    EXPECT_EQ(directory.content_of("j"), kept);
    journal.add("b", {{"x", 2}});
    EXPECT_EQ(directory.content_of("j"), whole);
  }
}

TEST(Journal, BeginsAnewWhereItsFirstLineIsTorn) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings);
  const std::string whole = directory.content_of("j");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() - 1}) {
    directory.save("j", whole.substr(0, size));
    EXPECT_EQ(Journal(directory / "j", kSettings).size(), 0u);
    EXPECT_EQ(directory.content_of("j"), whole);
  }
}

TEST(Journal, OfOtherSettingsIsRefusedByTheirName) {
  const TemporaryDirectory directory;
  Journal(directory / "j", kSettings);
  for (const auto& [name, value] : kSettings.items()) {
    Json other = kSettings;
    other[name] = "another";
    EXPECT_THAT(journal_refusal(directory / "j", other), HasSubstr(name + " " + value.dump()));
  }
}

TEST(Journal, RefusesWhatIsNoneAndLeavesItAsItWas) {
  const TemporaryDirectory directory;
  const std::string good =
      R"({"toroid_journal":1,"settings":{"version":"1","seed":7,"machine":"bgl"}})";
  for (const auto& [content, words] :
       {std::pair{std::string("my notes"), "not a journal"},
        {std::string("my notes\n"), "not a journal"},
        {std::string("[]\n"), "not a journal"},
        {std::string("{\"toroid_journal\":2}\n"), "not a journal"},
        {std::string("{\"toroid_journal\":\"x\"}\n"), "not a journal"},
        {good + "\n{}\n", "line 2"},
        {good + "\n{\"case\":\"a\",\"row\":{}}\n\n", "line 3"},
        {good + "\n{\"case\":1,\"row\":{}}\n", "line 2"}}) {
    directory.save("j", content);
    EXPECT_THAT(journal_refusal(directory / "j"), HasSubstr(words));
    EXPECT_EQ(directory.content_of("j"), content);
  }
  EXPECT_THAT(journal_refusal(directory.path()), HasSubstr("cannot be written"));
  EXPECT_THAT(journal_refusal("/dev/null"), HasSubstr("not a file"));
  EXPECT_THAT(journal_refusal(directory / "missing/j"), HasSubstr("cannot be written"));
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

CampaignOptions quiet_campaign(unsigned at_once, Journal* journal = nullptr) {
  return {.at_once = at_once, .quiet = true, .failures_last = true, .journal = journal};
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

TEST(Campaign, GoesOnWhereAnotherEnded) {
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

TEST(Campaign, MakesARowOfAFailureAndAllOtherRows) {
  const TemporaryDirectory directory;
  const auto fails_at_2 = [](std::size_t i) {
    if (i == 2) throw RunFailed("a deadlock\nof two lines");
    if (i == 3) throw std::bad_alloc();
    return squared(i);
  };
  for (const bool last : {true, false}) {
    std::filesystem::remove(directory / "j");
    Journal journal(directory / "j", kSettings);
    CampaignOptions options = quiet_campaign(2, &journal);
    options.failures_last = last;
    const std::vector<Json> rows = run_campaign(options, case_keys(5), fails_at_2);
    EXPECT_EQ(rows[2]["error"].get<std::string>().find('\n'), std::string::npos);
    EXPECT_EQ(rows[3]["error"], "not enough memory");
    EXPECT_EQ(rows[4]["square"], 16);
    EXPECT_EQ(journal.size(), last ? 4u : 3u);  // memory may be there another time
  }
}

TEST(Csv, FlattensAndQuotes) {
  const std::vector<Json> rows = {
      {{"name", "a,\"b\""}, {"links", {{"max", 3}, {"mean", 1.5}}}, {"list", {1, 2.5}}},
      {{"name", "c"}, {"error", "x\ny"}}};
  EXPECT_EQ(csv_text(rows),
            "name,links_max,links_mean,list,error\n"
            "\"a,\"\"b\"\"\",3,1.5,1 2.5,\n"
            "c,,,,\"x\ny\"\n");
}

TEST(Table, IsAsWideAsItsCells) {
  TextTable table({"name", "number", "more"}, 1);
  table.add({"x", "12345678", "1"});
  table.add({"long name", "a text that runs on over the rest"});
  EXPECT_EQ(table.text(),
            "name         number  more\n"
            "x          12345678     1\n"
            "long name  a text that runs on over the rest\n");
}

}  // namespace
}  // namespace toroid
