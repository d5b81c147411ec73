// The command loads OpenBLAS only if it computes matrix products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Arguments kSmallExchange = {"alltoall", "--torus", "2x2x2", "--bytes", "240"};
const Arguments kWithoutProducts = {"fft", "--torus", "2x2x2", "--size", "8", "--check"};
const Arguments kWithProducts = kWithoutProducts + Arguments{"--method", "orbital"};

Ended run_with_variable(const std::string& variable, const Arguments& arguments) {
  return run_process(Arguments{variable, TOROID_COMMAND} + arguments, {.program = "/usr/bin/env"});
}

/// Returns the dynamic linker's log of the libraries that it loads, at start and later.
std::string libraries_of(const Arguments& arguments) {
  const Ended ended = run_with_variable("LD_DEBUG=libs", arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.err;
}

TEST(OpenBlas, IsLoadedOnlyIfMatricesAreMultiplied) {
  EXPECT_THAT(libraries_of(kSmallExchange), Not(HasSubstr("libopenblas")));
  EXPECT_THAT(libraries_of(kWithoutProducts), Not(HasSubstr("libopenblas")));
  EXPECT_THAT(libraries_of(kWithProducts), HasSubstr("libopenblas"));
}

TEST(OpenBlas, FailureToLoadItEndsRunsThatNeedItWithOneLine) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "libopenblas.so.0") << "no library";
  const std::string path = "LD_LIBRARY_PATH=" + folder.path().string();
  EXPECT_EQ(run_with_variable(path, kWithoutProducts).exit_code, 0);
  for (const Arguments& more : {Arguments{}, kShm}) {
    const Ended ended = run_with_variable(path, kWithProducts + more);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err,
                HasSubstr("cannot load OpenBLAS for matrix products: " + folder.path().string()));
    EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  }
}

#ifndef TOROID_SANITIZED  // sanitizers map terabytes

/// Runs under a limit in KiB on the address space (-v) or on writable memory (-d).
Ended run_within(const std::string& kind, unsigned limit, const Arguments& arguments) {
  const Arguments shell = {"-c", "ulimit " + kind + " \"$0\" && exec \"$@\"", std::to_string(limit),
                           TOROID_COMMAND};
  return run_process(shell + arguments, {.program = "/bin/sh"});
}

/// Expects success, or failure with a one-line message.
void expect_clear(const Ended& ended, unsigned limit) {
  if (ended.exit_code == 0) return;
  EXPECT_THAT(ended.exit_code, ::testing::AnyOf(1, 127)) << limit << ": " << ended.err;
  EXPECT_EQ(ended.err_lines(), 1) << limit << ": " << ended.err;
}

TEST(LimitedMemory, ModelSucceedsOrFailsInOneLine) {
  EXPECT_EQ(run_within("-v", 200'000, kSmallExchange).exit_code, 0);
  for (unsigned limit = 10'000; limit < 200'000; limit += 10'000)
    expect_clear(run_within("-v", limit, kSmallExchange), limit);
}

/// OpenBLAS itself would wait for memory for ever.
TEST(LimitedMemory, MatrixProductsSucceedOrFailInOneLine) {
  for (const char* kind : {"-v", "-d"}) {
    EXPECT_EQ(run_within(kind, 500'000, kWithProducts).exit_code, 0);
    for (unsigned limit = 60'000; limit < 500'000; limit += 20'000)
      for (const Arguments& more : {Arguments{}, {"--threads", "2"}})
        expect_clear(run_within(kind, limit, kWithProducts + more), limit);
  }
}

#endif

}  // namespace
}  // namespace toroid::testing
