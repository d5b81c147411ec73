// What a run prints arrives, or the run reports that it could not be written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kClosed = Surroundings::kClosed;
const Arguments kRun = {"fft", "--torus", "2", "--size", "4"};

Ended on_full_device(const Arguments& arguments) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Ended ended = run_process(arguments, {.out = full});
  ::close(full);
  return ended;
}

TEST(StandardOutput, FailsTheRunIfItCannotBeWritten) {
  for (const Arguments& run : {kRun, kRun + Arguments{"--json", "-"}, Arguments{"info"},
                               Arguments{"--version"}, Arguments{"--help"}}) {
    const Ended full = on_full_device(run);
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_EQ(full.err, "toroid: cannot write to standard output: No space left on device\n");
    const Ended closed = run_process(run, {.out = kClosed});
    EXPECT_EQ(closed.exit_code, 1);
    EXPECT_THAT(closed.err, HasSubstr("cannot write to standard output: Bad file descriptor\n"));
  }
}

TEST(StandardOutput, MayBeClosedWhenNothingIsPrinted) {
  EXPECT_EQ(run_process(kRun + Arguments{"--quiet"}, {.out = kClosed}).exit_code, 0);
  EXPECT_EQ(on_full_device(kRun + Arguments{"--quiet"}).exit_code, 0);
}

TEST(StandardOutput, DoesNotMixWithAFileThatGetsItsDescriptor) {
  const TemporaryDirectory directory;
  const Arguments outputs = {"--out", "r.npy", "--json", "r.json"};
  for (const Surroundings& at :
       {Surroundings{directory.path()}, Surroundings{directory.path(), kClosed, -1},
        Surroundings{directory.path(), -1, kClosed},
        Surroundings{directory.path(), kClosed, kClosed}}) {
    run_process(kRun + outputs, at);
    EXPECT_EQ(directory.content_of("r.npy").size(), 128U + 64 * 16);
    EXPECT_TRUE(nlohmann::json::accept(directory.content_of("r.json")));
  }
}

TEST(StandardError, MayBeClosed) {
  EXPECT_EQ(run_process(kRun, {.err = kClosed}).exit_code, 0);
  EXPECT_EQ(run_process({"frob"}, {.err = kClosed}).exit_code, 2);
  EXPECT_EQ(run_process({"frob"}, {.out = kClosed, .err = kClosed}).exit_code, 2);
}

TEST(OutputFile, OnAFullDeviceFailsTheRun) {
  for (const std::string option : {"--out", "--json"}) {
    const Ended ended = run_process(kRun + Arguments{option, "/dev/full", "--quiet"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "toroid: cannot write /dev/full: No space left on device\n");
  }
}

TEST(OutputFile, MayBeDevNull) {
  const Arguments both = {"--out", "/dev/null", "--json", "/dev/null"};
  EXPECT_EQ(run_process(kRun + both).exit_code, 0);
}

TEST(OutputFile, IsCompleteThroughALink) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("target.npy", directory / "link.npy");
  run_process(kRun + Arguments{"--out", "link.npy"}, {.directory = directory.path()});
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.npy"));
  EXPECT_EQ(directory.content_of("target.npy").size(), 128U + 64 * 16);
}

TEST(OutputFile, ShowsMachineNamesThatAreNotUtf8AsReadableText) {
  const TemporaryDirectory directory;
  directory.save("\xff.toml", "");
  const Ended ended = run_process(kRun + Arguments{"--machine", "\xff.toml", "--json", "-"},
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.json()["machine"], "\xef\xbf\xbd.toml");
}

}  // namespace
}  // namespace toroid::testing
