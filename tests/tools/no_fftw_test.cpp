// The command built without FFTW uses KissFFT and refuses FFTW.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Arguments kFft = {"fft", "--size", "6x7x8", "--torus", "2x2x2"};

TEST(WithoutFftw, TransformsWithKissFft) {
  for (const std::string fabric : {"sim", "shm"}) {
    const Ended ended =
        run_process(kFft + Arguments{"--fabric", fabric, "--check", "--quiet", "--json", "-"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out)["kernel"], "kissfft");
  }
}

TEST(WithoutFftw, FindsTheMadelungConstant) {
  EXPECT_EQ(run_process({"poisson", "--torus", "2x2x2", "--size", "32"}).exit_code, 0);
}

TEST(WithoutFftw, RefusesFftwAndItsWisdomInOneLine) {
  const TemporaryDirectory directory;
  expect_refusal(directory, kFft + Arguments{"--kernel", "fftw", "--json", "result.json"},
                 {"fftw", "built without FFTW (TOROID_FFTW)"}, run_process);
  expect_refusal(directory, kFft + Arguments{"--wisdom", "wisdom"}, {"--wisdom", "kissfft"},
                 run_process);
}

TEST(WithoutFftw, InfoListsOnlyKissFft) {
  EXPECT_THAT(run_process({"info"}).out, HasSubstr(", kernels: kissfft\n"));
}

TEST(WithoutFftw, LoadsNoFftwLibrary) {
  ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);  // the loader lists the libraries and exits
  const std::string libraries = run_process({"hello", "--torus", "2"}).out;
  ::unsetenv("LD_TRACE_LOADED_OBJECTS");
  EXPECT_THAT(libraries, HasSubstr("libc.so"));
  EXPECT_THAT(libraries, Not(HasSubstr("fftw")));
}

}  // namespace
}  // namespace toroid::testing
