// What the processes of a job decide about the provider shm, from what each has found out.
#include "router/ofi/shared_memory_trial.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"

namespace toroid::testing {
namespace {

/// The decision of three processes.
std::string decision(const std::vector<ofi::TrialFindings>& all) {
  std::vector<Blob> blobs;
  for (const ofi::TrialFindings& one : all) blobs.push_back(ofi::packed(one));
  return ofi::why_memory_is_not_shared(blobs,
                                       [](unsigned rank) { return fmt::format("P{}", rank); });
}

TEST(SharedMemoryTrial, SharesIfAllOrNoneReadTheMemoryOfTheOthers) {
  EXPECT_EQ(decision({{"rrr", ""}, {"rrr", ""}, {"rrr", ""}}), "");
  EXPECT_EQ(decision({{"r--", ""}, {"-r-", ""}, {"--r", ""}}), "");
}

TEST(SharedMemoryTrial, NamesAProcessThatCannotReadWhatOthersCan) {
  EXPECT_EQ(decision({{"rrr", ""}, {"rrr", ""}, {"r-r", ""}}),
            "P2 may not access the memory of P1, as others may (ptrace)");
  EXPECT_EQ(decision({{"r-r", ""}, {"-r-", ""}, {"--r", ""}}),
            "P0 may not access the memory of P1, as others may (ptrace)");
}

TEST(SharedMemoryTrial, GivesTheFirstReasonInOneLine) {
  EXPECT_EQ(decision({{"rrr", ""}, {"rrr", "no\nfile"}, {"rrr", "other"}}), "no?file");
}

TEST(SharedMemoryTrial, RefusesFindingsThatAreTooShort) {
  EXPECT_THROW(decision({{"rrr", ""}, {"rr", ""}, {"rrr", ""}}), RunFailed);
}

}  // namespace
}  // namespace toroid::testing
