// Files that cannot be read or written.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// A complete .npy file.
std::string npy_of(const std::vector<std::size_t>& shape, NpyType type = NpyType::f8) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::ostringstream file;
  write_npy(file, shape, std::vector<std::complex<double>>(count, 1), type);
  return file.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class BadFile : public ::testing::Test {
 protected:
  void expect_refusal(const Arguments& arguments, const std::vector<std::string>& words) {
    testing::expect_refusal(directory_, arguments, words);
  }
  void expect_refused_input(const std::string& content, const std::vector<std::string>& words) {
    directory_.save("in.npy", content);
    expect_refused_in({"--in", "in.npy"}, words);
  }
  void expect_refused_in(const Arguments& in, const std::vector<std::string>& words) {
    expect_refusal(with_outputs(Arguments{"fft", "--torus", "2"} + in), words);
  }

  const TemporaryDirectory directory_;
  const std::string good_ = npy_of({4, 4, 4});
};

TEST_F(BadFile, RefusesUnreadableInput) {
  fs::create_directory(directory_ / "dir");
  expect_refused_in({"--in", "none.npy"}, {"none.npy", "No such file"});
  expect_refused_in({"--in", "dir"}, {"dir", "Is a directory"});
  expect_refused_in({"--in", "/dev/null"}, {"/dev/null", "unknown array format", ".npz", "map"});
}

TEST_F(BadFile, RefusesInputThatIsNotAnArray) {
  expect_refused_input("", {"in.npy", "not a NumPy"});
  expect_refused_input("PK\3\4", {"in.npy", "zip archive truncated or damaged"});
  expect_refused_input(good_.substr(0, 40), {"in.npy", "header truncated"});
  expect_refused_input(good_.substr(0, 200), {"in.npy", "data truncated"});
  expect_refused_input(good_ + "x", {"in.npy", "trailing bytes"});
}

TEST_F(BadFile, RefusesInputOfUnsupportedType) {
  for (const std::string dtype : {"<i3", "<U2", "|O8", "<M8"})
    expect_refused_input(replaced(good_, "<f8", dtype),
                         {"in.npy", "unsupported dtype " + dtype, "f2 to f8"});
}

TEST_F(BadFile, RefusesInputOfUnsupportedShape) {
  expect_refused_input(npy_of({}), {"0 dimensions", "expected 1 to 6"});
  expect_refused_input(npy_of({2, 2, 2, 2}), {"3 axes", "rows takes 1 to 6"});
  expect_refused_input(npy_of({4, 0, 4}), {"in.npy", "extent"});
}

TEST_F(BadFile, RefusesInputWithANonFiniteValue) {
  for (const double value : {std::nan(""), -HUGE_VAL}) {
    std::ostringstream file;
    const std::vector<std::size_t> shape = {2, 2, 2};
    write_npy(file, shape, std::vector<std::complex<double>>{0, 1, {2, value}, 3, 4, 5, 6, 7});
    expect_refused_input(file.str(), {"in.npy", "element 2", "not finite"});
  }
}

TEST_F(BadFile, RefusesInputThatContradictsTheSize) {
  directory_.save("in.npy", good_);
  expect_refused_in({"--in", "in.npy", "--size", "4x4x5"}, {"4x4x5", "in.npy", "4x4x4"});
}

TEST_F(BadFile, RefusesUnwritableOutput) {
  fs::create_directory(directory_ / "dir");
  fs::create_symlink("loop", directory_ / "loop");
  directory_.save("file", "text");
  for (const std::string option : {"--out", "--json"}) {
    const Arguments run = {"fft", "--torus", "2", "--size", "4", option};
    expect_refusal(run + Arguments{"none/result"}, {"cannot write none/result", "No such file"});
    expect_refusal(run + Arguments{"dir"}, {"cannot write dir", "Is a directory"});
    expect_refusal(run + Arguments{"dir/"}, {"cannot write dir/", "Is a directory"});
    expect_refusal(run + Arguments{"file/result"}, {"cannot write", "Not a directory"});
    expect_refusal(run + Arguments{"loop"}, {"cannot write loop", "symbolic links"});
    expect_refusal(run + Arguments{"/proc/result"}, {"cannot write /proc/result"});
  }
  EXPECT_EQ(directory_.content_of("file"), "text");
}

TEST_F(BadFile, RefusesUnwritableSecondOutput) {
  const Arguments run = {"fft", "--torus", "2", "--size", "4"};
  expect_refusal(run + Arguments{"--json", "good", "--out", "none/result"}, {"none/result"});
  expect_refusal(run + Arguments{"--out", "good", "--json", "none/result"}, {"none/result"});
}

TEST_F(BadFile, RefusesTheSameFileForTwoOutputs) {
  directory_.save("result", "old");
  fs::create_symlink("result", directory_ / "link");
  const Arguments run = {"fft", "--torus", "2", "--size", "4", "--out", "result", "--json"};
  for (const std::string& json : {"result"s, "./result"s, "link"s, directory_ / "result"})
    expect_refusal(run + Arguments{json}, {"are the same file"});
}

TEST_F(BadFile, RefusesInputWithoutReadPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  directory_.save("in.npy", good_);
  ::chmod((directory_ / "in.npy").c_str(), 0);
  expect_refused_in({"--in", "in.npy"}, {"in.npy", "Permission denied"});
}

}  // namespace
}  // namespace toroid::testing
