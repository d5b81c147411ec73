// The command built without `ofi` runs, and refuses runs that need several processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<Arguments> kRuns = {{"fft", "--size", "8", "--torus", "2x2x2", "--check"},
                                      {"alltoall", "--torus", "2x2x2", "--bytes", "240"},
                                      {"hello", "--torus", "2x2"},
                                      {"poisson", "--torus", "2x2x2", "--size", "16"}};

TEST(WithoutOfi, RunsOnTheOtherFabrics) {
  for (const Arguments& run : kRuns)
    for (const std::string fabric : {"sim", "shm"}) {
      const Ended ended = run_process(run + Arguments{"--fabric", fabric});
      EXPECT_EQ(ended.exit_code, 0) << run.front() << " on " << fabric << ": " << ended.err;
    }
}

TEST(WithoutOfi, RefusesOfiInOneLine) {
  const TemporaryDirectory directory;
  for (const Arguments& run : kRuns)
    expect_refusal(directory, run + Arguments{"--fabric", "ofi", "--json", "result.json"},
                   {"--fabric ofi", "built without ofi (TOROID_OFI)"}, run_process);
}

TEST(WithoutOfi, RefusesToLaunchInOneLine) {
  const TemporaryDirectory directory;
  expect_refusal(directory, {"launch", "-n", "2", "--", "touch", "started"},
                 {"launch", "built without ofi (TOROID_OFI)"}, run_process);
}

TEST(WithoutOfi, InfoReportsTheMissingFabric) {
  EXPECT_THAT(run_process({"info"}).out, HasSubstr("built without ofi (TOROID_OFI)"));
  const auto info = nlohmann::json::parse(run_process({"info", "--json", "-"}).out);
  EXPECT_EQ(info["fabrics"], (nlohmann::json{"sim", "shm"}));
  EXPECT_TRUE(info["providers"].empty());
}

TEST(WithoutOfi, LoadsNoOfiLibrary) {
  ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);  // the loader lists the libraries and exits
  const std::string libraries = run_process({"hello", "--torus", "2"}).out;
  ::unsetenv("LD_TRACE_LOADED_OBJECTS");
  EXPECT_THAT(libraries, HasSubstr("libfftw3"));
  // libcrypto may be loaded: libzip uses it to read encrypted archives.
  for (const char* library : {"libpmix", "libisal", "libssl", "libfabric"})
    EXPECT_THAT(libraries, Not(HasSubstr(library)));
}

}  // namespace
}  // namespace toroid::testing
