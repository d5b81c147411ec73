// toroid fft with numbers near the limits of their precision, and with the shapes of batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/files/zip_bytes.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Complex = std::complex<double>;

class TransformOfValues : public ::testing::Test {
 protected:
  void save(const std::vector<std::size_t>& shape, const std::vector<Complex>& values) const {
    std::ostringstream file;
    write_npy(file, shape, values);
    directory_.save("in.npy", file.str());
  }
  Ended run(const Arguments& more) const {
    return run_command(Arguments{"fft", "--in", "in.npy", "--torus", "2x1x1", "--quiet"} + more,
                       {.directory = directory_.path()});
  }
  const TemporaryDirectory directory_;
};

TEST_F(TransformOfValues, SaysThatItsResultIsNotFinite) {
  save({4, 4, 4}, std::vector<Complex>(64, 1e308));
  for (const Arguments& fabric : {Arguments{}, kShm}) {
    const Ended unchecked = run(Arguments{"--out", "out.npy"} + fabric);
    EXPECT_EQ(unchecked.exit_code, 0);
    EXPECT_THAT(unchecked.err,
                HasSubstr("warning: the result is not finite: element 0 in C order"));
    const Ended checked =
        run(Arguments{"--check", "--out", "checked.npy", "--json", "checked.json"} + fabric);
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_THAT(checked.err, HasSubstr("toroid: the result is not finite: element 0 in C order"));
    EXPECT_FALSE(directory_.content_of("checked.json").empty());
    EXPECT_THAT(directory_.entries(), ::testing::Not(::testing::Contains("checked.npy")));
  }
}

TEST_F(TransformOfValues, RefusesAnArrayThatSinglePrecisionWouldMakeZero) {
  save({4, 4, 4}, std::vector<Complex>(64, 1e-46));
  expect_refusal(directory_, {"fft", "--in", "in.npy", "--torus", "2x1x1", "--precision", "single"},
                 {"in.npy: all numbers are too small for single precision"});
}

TEST_F(TransformOfValues, SaysHowManyElementsAreTooSmallForSinglePrecision) {
  std::vector<Complex> values(64, 1);
  values[5] = 1e-40;
  values[6] = {0, -1e-46};
  values[7] = 0;
  save({4, 4, 4}, values);
  const Ended ended = run({"--precision", "single"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err,
              HasSubstr("warning: in.npy: 2 elements are too small for single precision"));
  EXPECT_THAT(run({}).err, IsEmpty());
  values[5] = values[6] = static_cast<double>(1e-40f);  // exact, although it is below the normals
  save({4, 4, 4}, values);
  EXPECT_THAT(run({"--precision", "single"}).err, IsEmpty());
}

TEST_F(TransformOfValues, DoesNotReplaceAnArchiveByItsArray) {
  directory_.save("a.npz", "");
  std::filesystem::create_symlink("a.npz", directory_ / "out.npy");
  for (const char* verb : {"fft", "redistribute"}) {
    Arguments arguments = {verb, "--in", "a.npz:x", "--out", "out.npy", "--torus", "2x1x1"};
    if (std::string(verb) == "redistribute")
      arguments = arguments + Arguments{"--from", "blocks", "--to", "slabs:x"};
    EXPECT_EQ(run_command(arguments, {.directory = directory_.path()}).exit_code, 2);
    EXPECT_EQ(directory_.content_of("a.npz"), "");
  }
}

TEST_F(TransformOfValues, AreNotLeftInAFileIfALaterOutputFails) {
  const Arguments fft = {"fft", "--size", "4"};
  const Arguments move = {"redistribute", "--size", "4", "--from", "blocks", "--to", "slabs:x"};
  for (const Arguments& verb : {fft, move})
    for (const std::string option : {"--json", "--report", "--record"}) {
      const Ended ended = run_command(
          verb + Arguments{"--torus", "2x1x1", "--out", "out.npy", option, "/dev/full", "--quiet"},
          {.directory = directory_.path()});
      EXPECT_EQ(ended.exit_code, 1);
      EXPECT_EQ(ended.err, "toroid: cannot write /dev/full: No space left on device\n");
      EXPECT_THAT(directory_.entries(), IsEmpty());
    }
}

TEST_F(TransformOfValues, ABatchOfOneKeepsItsAxis) {
  save({1, 4, 6, 3}, std::vector<Complex>(72, 1));
  ASSERT_EQ(run({"--batch", "1", "--out", "out.npy"}).exit_code, 0);
  EXPECT_EQ(read_npy(directory_ / "out.npy").shape, (std::vector<std::size_t>{1, 4, 6, 3}));
  save({4, 6, 3}, std::vector<Complex>(72, 1));
  ASSERT_EQ(run({"--batch", "1", "--out", "out.npy"}).exit_code, 0);
  EXPECT_EQ(read_npy(directory_ / "out.npy").shape, (std::vector<std::size_t>{4, 6, 3}));
}

TEST_F(TransformOfValues, MayIgnoreBytesAfterGzipData) {
  std::ostringstream file;
  write_npy(file, std::vector<std::size_t>{2, 2, 2}, std::vector<Complex>(8, 1));
  directory_.save("in.npy", gzipped(file.str()) + "more");
  const Ended refused = run({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "toroid: in.npy: 4 trailing bytes after the gzip data\n");
  const Ended ended = run({"--permissive"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("warning: in.npy: 4 trailing bytes after the gzip data; it is "
                                   "read nevertheless\n"));
}

TEST_F(TransformOfValues, MayIgnoreBytesAfterTheArray) {
  std::ostringstream file;
  write_npy(file, std::vector<std::size_t>{2, 2, 2}, std::vector<Complex>(8, 1));
  directory_.save("in.npy", file.str() + "more");
  EXPECT_EQ(run({}).exit_code, 2);
  const Ended ended = run({"--permissive"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("warning: in.npy: trailing bytes after the data"));
}

}  // namespace
}  // namespace toroid::testing
