// toroid fft between other programs: arrays from standard input and to standard output.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>

#include "tests/tools/io/map_bytes.hpp"
#include "tests/tools/io/zip_bytes.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/io/npy/npy.hpp"
#include "tools/run/ofi.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

const Arguments kFft = {"fft", "--torus", "2"};
const Arguments kIn = {"--in", "-"};
const Arguments kOut = {"--out", "-"};
const Arguments kBackScaled = {"--inverse", "--scale", "1/N"};

class StandardStream : public ::testing::Test {
 protected:
  StandardStream() {
    std::ostringstream file;
    write_npy(file, Extents{3, 4, 5}, values_);
    npy_ = file.str();
  }

  /// With `input` at its standard input.
  Ended run(const Arguments& arguments, const std::string& input, int out = -1) {
    directory_.save("input", input);
    const int in = ::open((directory_ / "input").c_str(), O_RDONLY | O_CLOEXEC);
    const Ended ended =
        run_process(arguments, {.directory = directory_.path(), .out = out, .in = in});
    ::close(in);
    return ended;
  }
  static NpyArray array_of(const std::string& file) {
    return parse_npy(std::as_bytes(std::span(file)), "standard output");
  }

  const TemporaryDirectory directory_;
  const Values values_ = some_values(60, true);
  std::string npy_;
};

TEST_F(StandardStream, TakesWhatIsWrittenThereAndGivesTheResult) {
  const Ended there = run(kFft + kIn + kOut, npy_);
  EXPECT_EQ(there.exit_code, 0) << there.err;
  const Ended back = run(kFft + kIn + kOut + kBackScaled, there.out);
  EXPECT_EQ(back.exit_code, 0) << back.err;
  const NpyArray array = array_of(back.out);
  EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
  EXPECT_LE(distance(array.values, values_), kTolerance);
}

TEST_F(StandardStream, HasTheArrayAloneAndStandardErrorTheTable) {
  const Ended ended = run(kFft + kIn + kOut, npy_);
  const Ended table = run(kFft + kIn, npy_);
  EXPECT_EQ(ended.err, table.out);
  run(kFft + kIn + Arguments{"--out", "result.npy"}, npy_);
  EXPECT_EQ(ended.out, directory_.content_of("result.npy"));
  EXPECT_EQ(run(kFft + kIn + kOut + Arguments{"--quiet"}, npy_).err, "");
}

TEST_F(StandardStream, TakesEveryFormatByItsContent) {
  const std::string map =
      map_bytes({.nx = 5, .ny = 4, .nz = 3, .mode = 0, .elements = std::string(60, '\1')});
  for (const std::string& input :
       {map, gzipped(map), zip_bytes({{.name = "a.npy", .content = npy_}})})
    EXPECT_EQ(array_of(run(kFft + kIn + kOut, input).out).shape, (Extents{3, 4, 5}));
}

TEST_F(StandardStream, MayBeAPipe) {
  std::ostringstream large;  // of which a pipe holds a part only
  write_npy(large, Extents{30, 40, 50}, some_values(60'000, true));
  directory_.save("large.npy", large.str());
  const std::string command = "cat '" + (directory_ / "large.npy") +
                              "' | " TOROID_COMMAND
                              " fft --torus 2 --in - --out - --quiet | cat > '" +
                              (directory_ / "result.npy") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_npy(directory_ / "result.npy").shape, (Extents{30, 40, 50}));
}

TEST_F(StandardStream, IsNamedInRefusalsOfItsContent) {
  const auto refusal_of = [&](const std::string& input) {
    const Ended ended = run(kFft + kIn + Arguments{"--out", "result.npy"}, input);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err_lines(), 1);
    EXPECT_TRUE(ended.err.starts_with("toroid: standard input: ")) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(refusal_of(""), HasSubstr("no array"));
  EXPECT_THAT(refusal_of("text"), HasSubstr("no array"));
  EXPECT_THAT(refusal_of(npy_.substr(0, 500)), HasSubstr("data truncated"));
  EXPECT_THAT(directory_.entries(), ::testing::ElementsAre("input"));
}

TEST_F(StandardStream, IsNotMixedWithJson) {
  expect_refusal(directory_, kFft + Arguments{"--size", "4"} + kOut + Arguments{"--json", "-"},
                 {"--json -", "--out -"});
}

TEST_F(StandardStream, TakesTheArrayWhileTheJsonGoesToAFile) {
  const Ended ended = run(kFft + kOut + Arguments{"--size", "4", "--json", "result.json"}, "");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(array_of(ended.out).shape, (Extents{4, 4, 4}));
  EXPECT_TRUE(nlohmann::json::accept(directory_.content_of("result.json")));
}

TEST_F(StandardStream, MustTakeTheArray) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Ended ended = run(kFft + kOut + Arguments{"--size", "4", "--quiet"}, "", full);
  ::close(full);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "toroid: cannot write standard output: No space left on device\n");
  const Ended closed = run(kFft + kOut + Arguments{"--size", "4"}, "", Surroundings::kClosed);
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_EQ(closed.err, "toroid: cannot write standard output: Bad file descriptor\n");
}

TEST_F(StandardStream, MayNotBeATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    GTEST_SKIP() << "no terminals here";
  const int screen = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const Ended ended = run(kFft + kOut + Arguments{"--size", "4"}, "", screen);
  ::close(screen);
  ::close(terminal);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("terminal"));
}

TEST_F(StandardStream, IsNoOutputOfWhatIsNeitherJsonNorTheArray) {
  for (const std::string option : {"--wisdom", "--record", "--trace"})
    expect_refusal(directory_, kFft + Arguments{"--size", "4", option, "-"}, {"-", "./-"});
}

TEST_F(StandardStream, OfSeveralProcessesIsNobodys) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const Arguments fft = kFft + kIn + Arguments{"--fabric", "ofi"};
  expect_refusal(directory_, Arguments{"launch", "-n", "2"} + fft, {"--in - is for one process"});
  const Ended ended = run(Arguments{"launch", "-n", "2", "--", TOROID_COMMAND} + fft, npy_);
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("--in - is for one process"));
}

}  // namespace
}  // namespace toroid::testing
