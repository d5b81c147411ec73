// JobOptions::abandon is called if the program does not leave a failed job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "router/job/job.hpp"
#include "tests/comes_true.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Records the reasons passed to JobOptions::abandon.
class Abandoned {
 public:
  JobOptions options(milliseconds patience) {
    JobOptions options = patient();
    options.patience_after_failure = patience;
    options.abandon = [this](const std::string& why) {
      const std::lock_guard lock(mutex_);
      reasons_.push_back(why);
    };
    return options;
  }
  std::vector<std::string> reasons() {
    const std::lock_guard lock(mutex_);
    return reasons_;
  }
  void wait() {
    comes_true([&] { return !reasons().empty(); });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> reasons_;
};

TEST(JobAbandon, CallbackRunsOnceIfProgramDoesNotLeaveAFailedJob) {
  for (const unsigned stuck : {0U, 1U}) {
    Abandoned abandoned;
    std::atomic<bool> joined{false};
    const auto members = bootstraps(2);
    JobThreads one({members[stuck]}, abandoned.options(milliseconds(100)), [&](Job& job) {
      joined = true;
      abandoned.wait();
      EXPECT_THAT(job.failure(), HasSubstr("): out of luck"));
      sleep_for(milliseconds(300));
    });
    JobThreads other({members[1 - stuck]}, patient(), [&](Job& job) {
      while (!joined) sleep_for(milliseconds(1));
      job.fail("out of luck");
    });
    EXPECT_THAT(one.outcomes(), ElementsAre(""));
    EXPECT_THAT(other.outcomes(), ElementsAre(""));
    EXPECT_THAT(abandoned.reasons(), ElementsAre(HasSubstr("): out of luck")));
  }
}

TEST(JobAbandon, CallbackMayCallJobFunctions) {
  std::atomic<bool> called{false};
  Job* used = nullptr;
  JobOptions options = patient();
  options.patience_after_failure = milliseconds(0);
  options.abandon = [&](const std::string& why) {
    EXPECT_EQ(why, used->failure());
    called = true;
  };
  auto members = bootstraps(2);
  JobThreads other({members[1]}, patient(), [](Job& job) { job.all_gather({}); });
  Job job(members[0], options);
  used = &job;
  job.fail("stuck");
  EXPECT_TRUE(comes_true([&] { return called.load(); }));
}

TEST(JobAbandon, CallbackDoesNotRunIfAllLeaveInTime) {
  Abandoned abandoned;
  const auto body = [](Job& job) {
    if (job.rank() == 1) job.fail("out of luck");
    job.all_gather({});
  };
  run_job(3, body, abandoned.options(milliseconds(30000)));
  EXPECT_THAT(abandoned.reasons(), IsEmpty());
}

/// Leaving takes long because the other process delays its goodbye.
TEST(JobAbandon, CallbackDoesNotRunWhileLeaving) {
  Abandoned abandoned;
  const auto members = bootstraps(2);
  std::atomic<bool> left{false};
  JobThreads other({members[1]}, patient(), [&](Job& job) {
    while (job.failure().empty()) sleep_for(milliseconds(1));
    while (!left) sleep_for(milliseconds(1));
  });
  {
    Job job(members[0], abandoned.options(milliseconds(500)));
    job.fail("out of luck");
  }
  left = true;
  other.outcomes();
  EXPECT_THAT(abandoned.reasons(), IsEmpty());
}

}  // namespace
}  // namespace toroid::testing
