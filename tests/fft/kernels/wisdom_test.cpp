// Wisdom: FFTW's measurements, kept in a file.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdint>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fft/kernels/fftw.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/wisdom_format.hpp"
#include "hal/check.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/scale.hpp"

namespace toroid::fft::local {
namespace {

class KernelWisdom : public ::testing::Test {
 protected:
  KernelWisdom() { remove(path_); }
  void SetUp() override {
    if (!has(LibraryName::fftw)) GTEST_SKIP() << "built without FFTW";
  }
  ~KernelWisdom() override { remove(path_); }
  /// Loads the text as a file with a checksum.
  bool load(const std::string& text) const { return load_content(formatted_wisdom(text)); }
  bool load_content(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return load_wisdom(path_);
  }
  static void forget() { forget_fftw_wisdom(); }
  /// FFTW's wisdom as text, double precision first, for line lengths that no other test measures.
  /// It is measured only once, because a process makes each kernel only once.
  static std::pair<std::string, std::string> measured() {
    static const auto texts = [] {
      forget();
      for (const Precision precision : {Precision::single, Precision::double_}) {
        Work line{{}, Kind::forward, precision};
        line.axes[0] = {58, 1, 1, true};
        library(LibraryName::fftw).plan(line, Rigor::measure);
      }
      const std::string text = wisdom();
      const std::size_t begin = text.find("(fftw-"), single = text.find("(fftw-", begin + 1);
      return std::pair(text.substr(begin, single - begin), text.substr(single));
    }();
    return texts;
  }
  /// The lines of a text without toroid's own. They are sorted, because FFTW writes them in no
  /// fixed order.
  static std::vector<std::string> sorted_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
      if (!line.starts_with("toroid")) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }

  // One file per process, because tests run in parallel.
  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / fmt::format("kernel-wisdom-{}", ::getpid());
};

TEST_F(KernelWisdom, IsRestoredInBothPrecisions) {
  EXPECT_FALSE(load_wisdom(path_));
  EXPECT_FALSE(load_content(""));
  const auto [in_double, in_single] = measured();
  EXPECT_NE(in_double.find(" fftw_wisdom "), std::string::npos);
  EXPECT_NE(in_single.find(" fftwf_wisdom "), std::string::npos);
  const std::string all = in_double + in_single;
  forget();
  EXPECT_NE(sorted_lines(wisdom()), sorted_lines(all));
  EXPECT_TRUE(load(all));
  EXPECT_EQ(sorted_lines(wisdom()), sorted_lines(all));
}

TEST_F(KernelWisdom, MayHaveOnlyOnePrecision) {
  const auto [in_double, in_single] = measured();
  forget();
  const auto none = sorted_lines(wisdom()).size();
  for (const std::string& part : {in_double, in_single}) {
    forget();
    EXPECT_TRUE(load(part));
    EXPECT_EQ(sorted_lines(wisdom()).size(), none + sorted_lines(part).size() - 2);
  }
}

TEST_F(KernelWisdom, KeepsToroidsOwnLines) {
  const auto [in_double, in_single] = measured();
  add_own_wisdom("toroid rows 1");
  EXPECT_TRUE(load("toroid rows 2\ntoroid rows 1\n" + in_double));
  EXPECT_TRUE(load("toroid rows 3"));
  const std::vector<std::string> lines = {"toroid rows 1", "toroid rows 2", "toroid rows 3"};
  EXPECT_EQ(own_wisdom(), lines);
  const std::string text = wisdom();
  EXPECT_NE(text.find("\ntoroid rows 1\ntoroid rows 2\ntoroid rows 3\n(fftw-"), std::string::npos);
  EXPECT_TRUE(load_content(text));
  EXPECT_EQ(own_wisdom(), lines);
}

TEST_F(KernelWisdom, RefusesTextThatIsNotWisdom) {
  const auto [in_double, in_single] = measured();
  std::string other = in_single;
  other.replace(other.find("fftwf_"), 6, "fftwl_");
  for (const std::string& text :
       {std::string(), std::string("none"), std::string("\n"), std::string("toroid\n"), other,
        in_double + "none", in_double + other, "toroid new\nnone\n" + in_double, "none" + in_double,
        in_double.substr(0, in_double.size() / 2), in_double + "toroid new\n"})
    EXPECT_THROW(load(text), BadInput) << text;
  EXPECT_EQ(std::ranges::count(own_wisdom(), "toroid new"), 0);
  EXPECT_THROW(load_wisdom("/dev/zero"), BadInput);
  EXPECT_THROW(load_wisdom(::testing::TempDir()), BadInput);
}

/// Copies of a file's content, each damaged at byte `at` in another way.
std::vector<std::string> damaged_at(std::size_t at, const std::string& content) {
  std::vector<std::string> all;
  for (const char change : {'\1', '\x20', '\x80'}) {
    all.push_back(content);
    all.back()[at] = static_cast<char>(all.back()[at] ^ change);
  }
  all.push_back(content.substr(0, at) + content.substr(at + 1));
  all.push_back(content.substr(0, at) + ")" + content.substr(at));
  all.push_back(content.substr(0, at) + "(0 " + content.substr(at));
  if (at > 0) all.push_back(content.substr(0, at));
  return all;
}

TEST_F(KernelWisdom, RefusesAFileThatIsDamagedAnywhereBeforeFftwSeesIt) {
  const auto [in_double, in_single] = measured();
  const std::string whole = formatted_wisdom("toroid rows 1\n" + in_double + in_single);
  EXPECT_TRUE(load_content(whole));
  const fuzz::MemoryFile file;  // in memory, because the loop writes thousands of files
  const std::size_t places = testing::by_set<std::size_t>(400, whole.size());
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / (places + 1))
    for (const std::string& content : damaged_at(at, whole)) {
      file.set(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
      ASSERT_THROW(load_wisdom(file.path()), BadInput) << content;
      ASSERT_EQ(wisdom_of_format(content), std::nullopt) << content;
    }
}

TEST_F(KernelWisdom, RefusesFilesWithoutAChecksum) {
  const auto [in_double, in_single] = measured();
  for (const std::string& text : {in_double, "toroid rows 1\n" + in_double, std::string("\n")})
    EXPECT_THROW(load_content(text), BadInput) << text;
}

}  // namespace
}  // namespace toroid::fft::local
