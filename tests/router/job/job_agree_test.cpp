// Values that all processes of a job must have alike.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "router/job/agreement.hpp"
#include "router/job/job.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

auto bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// The messages of BadInput by rank; the job must not have failed.
std::vector<std::string> refusals(unsigned processes, const Body& body) {
  return run_job(processes, [&](Job& job) {
    try {
      body(job);
    } catch (const BadInput&) {
      EXPECT_EQ(job.failure(), "");
      job.all_gather({});  // the job goes on
      throw;
    }
  });
}

TEST(JobAgree, AcceptsEqualValues) {
  const auto agree = [](Job& job) {
    job.agree("a.npy", bytes_of("content"));
    const std::vector<NamedValue> values{{"b", bytes_of("")}, {"c", bytes_of("1")}};
    job.agree(values);
    job.agree({});
  };
  EXPECT_THAT(refusals(3, agree), Each(""));
  EXPECT_THAT(refusals(1, agree), Each(""));
}

TEST(JobAgree, NamesTheValueAndTheProcessesOnAllProcesses) {
  EXPECT_THAT(
      refusals(4, [](Job& job) { job.agree("a.npy", bytes_of(job.rank() == 2 ? "x" : "y")); }),
      Each(MatchesRegex("a.npy differs between process 0 \\(host .*, pid [0-9]+\\) and process 2 "
                        "\\(host .*, pid [0-9]+\\)")));
}

TEST(JobAgree, NamesTheValueThatDiffersAmongSeveral) {
  EXPECT_THAT(refusals(2,
                       [](Job& job) {
                         const std::vector<NamedValue> values{
                             {"a", bytes_of("1")},
                             {"b\n", bytes_of(job.rank() == 0 ? "2" : "3")},
                             {"c", bytes_of("4")}};
                         job.agree(values);
                       }),
              Each(HasSubstr("b? differs between process 0 (")));
}

TEST(JobAgree, NamesAValueThatOneProcessLacks) {
  for (const unsigned lacks : {0u, 1u})
    EXPECT_THAT(refusals(2,
                         [&](Job& job) {
                           std::vector<NamedValue> values{{"a", bytes_of("1")}};
                           if (job.rank() != lacks) values.push_back({"b", bytes_of("2")});
                           job.agree(values);
                         }),
                Each(MatchesRegex(fmt::format("b is an input of process {} \\(.*\\) but not of "
                                              "process {} \\(.*\\)",
                                              1 - lacks, lacks))));
}

TEST(JobAgree, ComparesAllValuesOfAName) {
  EXPECT_THAT(refusals(2,
                       [](Job& job) {
                         const std::vector<NamedValue> values{
                             {"a", bytes_of(job.rank() == 0 ? "1" : "2")}, {"a", bytes_of("3")}};
                         job.agree(values);
                       }),
              Each(HasSubstr("a differs between")));
}

TEST(JobRefuse, EndsTheAgreementOfAllWithTheReason) {
  EXPECT_THAT(refusals(3,
                       [](Job& job) {
                         if (job.rank() == 1) job.refuse("a.npy: no such file");
                         job.agree("a.npy", bytes_of("content"));
                       }),
              Each(MatchesRegex("process 1 \\(host .*, pid .*\\): a.npy: no such file")));
}

TEST(JobRefuse, LeavesOutTheProcessesIfAllSayTheSame) {
  EXPECT_THAT(refusals(3, [](Job& job) { job.refuse("torus 0: no nodes"); }),
              Each("torus 0: no nodes"));
}

TEST(JobAgree, RefusesWhatIsNoListOfValues) {
  const auto outcomes = run_job(2, [](Job& job) {
    if (job.rank() == 0) return job.agree("a", bytes_of("1"));
    job.all_gather(bytes_of("something else"));
    job.all_gather(bytes_of("something else"));
  });
  EXPECT_THAT(outcomes[0], AllOf(HasSubstr("process 1 (host "), HasSubstr("values to agree on")));
}

TEST(JobRefuseDifferent, NamesTheFirstItemThatDiffersWithBothValues) {
  EXPECT_THAT(refusals(2,
                       [](Job& job) {
                         job::refuse_different(
                             job, {"torus 4", job.rank() == 0 ? "seed 1" : "seed 12", "end"},
                             "start them alike");
                       }),
              Each(MatchesRegex("process 1 \\(.*\\) has seed 12, but process 0 \\(.*\\) has seed "
                                "1; start them alike")));
}

}  // namespace
}  // namespace toroid::testing
