// Every verb that builds a machine refuses one that does not fit in memory, before it allocates it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

#ifndef TOROID_SANITIZED  // sanitizers map terabytes

/// Runs in 1 GB of address space, so that a large machine does not fit on any host.
Ended run_with_a_gigabyte(const Arguments& arguments, const TemporaryDirectory& directory) {
  const Arguments shell = {"-s",          "KILL", "100",
                           "/bin/sh",     "-c",   "ulimit -v 1000000 && exec \"$0\" \"$@\"",
                           TOROID_COMMAND};
  return run_process(shell + arguments,
                     {.directory = directory.path(), .program = "/usr/bin/timeout"});
}

void expect_too_large(const Arguments& arguments, const TemporaryDirectory& directory) {
  SCOPED_TRACE(arguments.front());
  const Ended ended = run_with_a_gigabyte(arguments, directory);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("needs at least"));
  EXPECT_THAT(ended.err, HasSubstr("of memory; this host has 1.0 GB under ulimit -v"));
  EXPECT_EQ(ended.out, "");
}

TEST(Memory, EveryVerbRefusesMachinesThatDoNotFit) {
  const TemporaryDirectory directory;
  directory.save("two.goal",
                 "num_ranks 2\nrank 0 {\nl: send 8b to 1\n}\nrank 1 {\nl: recv 8b from 0\n}\n");
  const Arguments torus = {"--torus", "256x256x64"};
  for (const Arguments& verb :
       {Arguments{"hello"}, Arguments{"hello", "--fabric", "sim", "--threads", "2"},
        Arguments{"hello", "--fabric", "shm"}, Arguments{"alltoall"},
        Arguments{"alltoall", "--peers", "1"}, Arguments{"fft", "--size", "4096x4096x64"},
        Arguments{"bench", "latency"}, Arguments{"compare", "--policies", "random"},
        Arguments{"sweep", "--axis", "bytes", "--policies", "random"},
        Arguments{"replay", "two.goal"}})
    expect_too_large(verb + torus, directory);
}

TEST(Memory, AllowsMachinesThatFit) {
  const TemporaryDirectory directory;
  EXPECT_EQ(run_with_a_gigabyte({"hello", "--torus", "4x4x4"}, directory).exit_code, 0);
}

#endif

}  // namespace
}  // namespace toroid::testing
