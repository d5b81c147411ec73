// toroid fft with standard streams: through a pipe, to a full or closed output, with several
// processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/tools/files/array_at_a_stream.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"
#include "tools/run/ofi.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

class StandardStreamOfAProcess : public ArrayAtAStream {
 protected:
  Ended run(const Arguments& arguments, const std::string& input, int out = -1) {
    return run_by(run_process, arguments, input, out);
  }
};

TEST_F(StandardStreamOfAProcess, MayBeAPipe) {
  std::ostringstream large;  // larger than a pipe's buffer
  write_npy(large, Extents{30, 40, 50}, some_values(60'000, true));
  directory_.save("large.npy", large.str());
  const std::string command = "cat '" + (directory_ / "large.npy") +
                              "' | " TOROID_COMMAND
                              " fft --torus 2 --in - --out - --quiet | cat > '" +
                              (directory_ / "result.npy") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_npy(directory_ / "result.npy").shape, (Extents{30, 40, 50}));
}

TEST_F(StandardStreamOfAProcess, FailsTheRunIfTheArrayCannotBeWritten) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Ended ended = run(kStreamFft + kToStream + Arguments{"--size", "4", "--quiet"}, "", full);
  ::close(full);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "toroid: cannot write standard output: No space left on device\n");
  const Ended closed =
      run(kStreamFft + kToStream + Arguments{"--size", "4"}, "", Surroundings::kClosed);
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_EQ(closed.err, "toroid: cannot write standard output: Bad file descriptor\n");
}

TEST_F(StandardStreamOfAProcess, IsRefusedAsInputOfSeveralProcesses) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const Arguments fft = kStreamFft + kFromStream + Arguments{"--fabric", "ofi"};
  expect_refusal(directory_, Arguments{"launch", "-n", "2"} + fft, {"--in - is for one process"});
  const Ended ended = run(Arguments{"launch", "-n", "2", "--", TOROID_COMMAND} + fft, npy_);
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("--in - is for one process"));
}

}  // namespace
}  // namespace toroid::testing
