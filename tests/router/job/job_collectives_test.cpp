// Collectives of a job, and its information about the processes.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

void expect_all_gathered(Job& job, std::size_t size) {
  const auto all = job.all_gather(blob_of(size, job.rank()));
  ASSERT_EQ(all.size(), job.size());
  for (unsigned rank = 0; rank < job.size(); ++rank)
    EXPECT_TRUE(equal_blobs(all[rank], blob_of(size, rank)));
}

TEST(JobCollectives, DeliverBlobsOfAllSizesToAll) {
  const auto outcomes = run_job(5, [](Job& job) {
    for (const std::size_t size : {0u, 1u, 4097u, 1u << 18, (1u << 20) + 3})
      expect_all_gathered(job, size);
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobCollectives, DeliverBlobsOfDifferentSizes) {
  const auto outcomes = run_job(4, [](Job& job) {
    const auto all = job.all_gather(blob_of(job.rank() * 1000, job.rank()));
    for (unsigned rank = 0; rank < job.size(); ++rank)
      EXPECT_EQ(all[rank], blob_of(rank * 1000, rank));
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobCollectives, GatherOnProcess0Only) {
  const auto outcomes = run_job(3, [](Job& job) {
    for (std::size_t round = 0; round < 100; ++round) {
      const auto all = job.gather(blob_of(round, job.rank()));
      EXPECT_EQ(all.size(), job.rank() == 0 ? 3u : 0u);
      for (unsigned rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], blob_of(round, rank));
    }
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobCollectives, ReturnAResultAlthoughAnotherProcessFailsBecauseOfIt) {
  const auto outcomes = run_job(3, [](Job& job) {
    for (std::size_t round = 0; round < 20; ++round) expect_all_gathered(job, round);
    const auto all = job.all_gather(blob_of(100, job.rank()));
    if (job.rank() == 0) job.fail("it dislikes the result");
    throw BadInput(fmt::format("{} results", all.size()));
  });
  EXPECT_THAT(outcomes, Each("3 results"));
}

TEST(JobCollectives, DeliverLargeBlobsWhileHeartbeatsContinue) {
  const JobOptions options{.patience = milliseconds(60000),
                           .heartbeat = milliseconds(20),
                           .silence = milliseconds(10000)};
  const Blob large = blob_of(by_set<std::size_t>(25'000'001, 50'000'001), 1);
  const auto gather = [&](Job& job) {
    for (const Blob& blob : job.all_gather(large)) EXPECT_TRUE(equal_blobs(blob, large));
  };
  EXPECT_THAT(run_job(3, gather, options), Each(""));
}

TEST(JobCollectives, CompleteWhileOthersLeave) {
  for (int i = 0; i < by_set(10, 20); ++i)
    EXPECT_THAT(run_job(4, [](Job& job) { expect_all_gathered(job, 300'000); }), Each(""));
}

TEST(JobCollectives, WorkWithOneProcess) {
  Job job{Bootstrap{}};
  expect_all_gathered(job, 17);
  EXPECT_EQ(job.gather(blob_of(3, 9)).at(0), blob_of(3, 9));
  EXPECT_EQ(job.size(), 1u);
  EXPECT_EQ(job.refused(), 0u);
}

TEST(JobCollectives, ReportMismatchedCalls) {
  const auto outcomes = run_job(2, [](Job& job) {
    if (job.rank() == 0) job.all_gather({});
    job.gather({});
    if (job.rank() == 1) job.all_gather({});
  });
  EXPECT_THAT(outcomes, Each(HasSubstr("calls a different collective operation")));
}

TEST(JobCollectives, NameProcessThatEndedEarly) {
  const auto outcomes = run_job(3, [](Job& job) {
    if (job.rank() != 2) job.all_gather({});
  });
  EXPECT_EQ(outcomes[2], "");
  for (const unsigned rank : {0u, 1u}) {
    EXPECT_THAT(outcomes[rank], HasSubstr("process 2 (host "));
    EXPECT_THAT(outcomes[rank], HasSubstr("has ended before the others"));
  }
}

TEST(JobCollectives, NameProcess0IfItEndedEarly) {
  const auto outcomes = run_job(3, [](Job& job) {
    if (job.rank() != 0) job.all_gather({});
  });
  EXPECT_EQ(outcomes[0], "");
  for (const unsigned rank : {1u, 2u}) EXPECT_THAT(outcomes[rank], HasSubstr("process 0 (host "));
}

/// The other process has ended long before this one enters the collective.
TEST(JobCollectives, NameProcessThatEndedLongBefore) {
  for (const unsigned first : {0U, 1U}) {
    const auto outcomes = run_job(2, [&](Job& job) {
      if (job.rank() == first) return;
      sleep_for(milliseconds(300));
      job.all_gather({});
    });
    EXPECT_THAT(outcomes[1 - first], HasSubstr(fmt::format("process {} (host ", first)));
  }
}

TEST(Job, KnowsItsProcesses) {
  std::atomic<std::uint64_t> sessions{0};
  const auto outcomes = run_job(3, [&](Job& job) {
    EXPECT_EQ(job.size(), 3u);
    EXPECT_EQ(job.source(), "test");
    EXPECT_EQ(job.clock_offset().count(), 0);
    sessions ^= job.session();
    for (unsigned rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(job.process(rank).pid, ::getpid());
      EXPECT_EQ(job.process(rank).address, "127.0.0.1");
      EXPECT_EQ(job.process(rank).kernel, job.process(job.rank()).kernel);
    }
    job.set_place(1, "nodes (0,0,0) to (1,1,1)");
    EXPECT_EQ(job.name(1), fmt::format("process 1 (host {}, pid {}, nodes (0,0,0) to (1,1,1))",
                                       job.process(1).host, ::getpid()));
    job.all_gather(std::as_bytes(std::span("x")));
  });
  EXPECT_THAT(outcomes, Each(""));
  EXPECT_NE(sessions.load(), 0u);
}

}  // namespace
}  // namespace toroid::testing
