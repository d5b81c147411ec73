// toroid fft with arrays from standard input and to standard output.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/files/array_at_a_stream.hpp"
#include "tests/tools/files/map_bytes.hpp"
#include "tests/tools/files/zip_bytes.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

class StandardStream : public ArrayAtAStream {
 protected:
  Ended run(const Arguments& arguments, const std::string& input, int out = -1) {
    return run_by(run_command, arguments, input, out);
  }
};

TEST_F(StandardStream, CarriesInputAndResult) {
  const Ended there = run(kStreamFft + kFromStream + kToStream, npy_);
  EXPECT_EQ(there.exit_code, 0) << there.err;
  const Ended back = run(
      kStreamFft + kFromStream + kToStream + Arguments{"--inverse", "--scale", "1/N"}, there.out);
  EXPECT_EQ(back.exit_code, 0) << back.err;
  const NpyArray array = array_of(back.out);
  EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
  EXPECT_LE(distance(array.values, values_), kTolerance);
}

TEST_F(StandardStream, CarriesOnlyTheArrayAndTheTableGoesToStandardError) {
  const Ended ended = run(kStreamFft + kFromStream + kToStream, npy_);
  const Ended table = run(kStreamFft + kFromStream, npy_);
  EXPECT_EQ(ended.err, table.out);
  run(kStreamFft + kFromStream + Arguments{"--out", "result.npy"}, npy_);
  EXPECT_EQ(ended.out, directory_.content_of("result.npy"));
  EXPECT_EQ(run(kStreamFft + kFromStream + kToStream + Arguments{"--quiet"}, npy_).err, "");
}

TEST_F(StandardStream, AcceptsEveryFormatByContent) {
  const std::string map =
      map_bytes({.nx = 5, .ny = 4, .nz = 3, .mode = 0, .elements = std::string(60, '\1')});
  for (const std::string& input :
       {map, gzipped(map), zip_bytes({{.name = "a.npy", .content = npy_}})})
    EXPECT_EQ(array_of(run(kStreamFft + kFromStream + kToStream, input).out).shape,
              (Extents{3, 4, 5}));
}

TEST_F(StandardStream, IsNamedInRefusalsOfItsContent) {
  const auto refusal_of = [&](const std::string& input) {
    const Ended ended = run(kStreamFft + kFromStream + Arguments{"--out", "result.npy"}, input);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err_lines(), 1);
    EXPECT_TRUE(ended.err.starts_with("toroid: standard input: ")) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(refusal_of(""), HasSubstr("unknown array format"));
  EXPECT_THAT(refusal_of("text"), HasSubstr("unknown array format"));
  EXPECT_THAT(refusal_of(npy_.substr(0, 500)), HasSubstr("data truncated"));
  EXPECT_THAT(directory_.entries(), ::testing::ElementsAre("input"));
}

TEST_F(StandardStream, IsNotMixedWithJson) {
  expect_refusal(directory_,
                 kStreamFft + Arguments{"--size", "4"} + kToStream + Arguments{"--json", "-"},
                 {"--json -", "--out -"});
}

TEST_F(StandardStream, CarriesTheArrayWhileJsonGoesToAFile) {
  const Ended ended =
      run(kStreamFft + kToStream + Arguments{"--size", "4", "--json", "result.json"}, "");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(array_of(ended.out).shape, (Extents{4, 4, 4}));
  EXPECT_TRUE(nlohmann::json::accept(directory_.content_of("result.json")));
}

TEST_F(StandardStream, MayNotBeATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    GTEST_SKIP() << "no terminals here";
  const int screen = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const Ended ended = run(kStreamFft + kToStream + Arguments{"--size", "4"}, "", screen);
  ::close(screen);
  ::close(terminal);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("terminal"));
}

TEST_F(StandardStream, IsRefusedAsOutputOfOtherFiles) {
  for (const std::string option : {"--wisdom", "--record", "--trace"})
    expect_refusal(directory_, kStreamFft + Arguments{"--size", "4", option, "-"}, {"-", "./-"});
}

}  // namespace
}  // namespace toroid::testing
