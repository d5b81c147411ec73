// Which texts are accepted as wisdom of FFTW.
#include "fft/kernels/wisdom_check.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {
namespace {

/// A wisdom list with a single solver, which has these planner flags.
std::string list_with(std::string_view flags) {
  return fmt::format(
      "(fftw-3.3.10 fftw_wisdom #x458a31c8 #x92381c4c #x4f974889 #xcd46f97e\n"
      "  (fftw_codelet_n1fv_4_avx 0 {} #xd5151a55 #xdb9a3ab9 #x41f91dac #x9a905f03)\n)",
      flags);
}

TEST(WisdomList, MatchesWhatFftwWrites) {
  if (!has(LibraryName::fftw)) GTEST_SKIP() << "built without FFTW";
  const std::string written = wisdom();
  const std::string_view text = std::string_view(written).substr(written.find('('));
  const std::size_t second = text.find("\n(") + 1;
  ASSERT_NE(second, 0u);
  EXPECT_TRUE(is_wisdom_list(text.substr(0, second - 1))) << text;
  EXPECT_TRUE(is_wisdom_list(text.substr(second, text.rfind(')') + 1 - second))) << text;
  EXPECT_TRUE(is_wisdom_list(list_with("#x11bdd #x11bdd #x0")));
}

TEST(WisdomList, MayOnlyHaveFlagsThatFitThePlannersFields) {
  EXPECT_TRUE(is_wisdom_list(list_with("#xfffff #xfffff #x1ff")));
  EXPECT_FALSE(is_wisdom_list(list_with("#x100000 #x11bdd #x0")));
  EXPECT_FALSE(is_wisdom_list(list_with("#x11bdd #x100000 #x0")));
  EXPECT_FALSE(is_wisdom_list(list_with("#x11bdd #x11bdd #x200")));
}

TEST(WisdomList, DoesNotMatchEmptyTruncatedOrWrongTexts) {
  const std::string good = list_with("#x1 #x2 #x3");
  EXPECT_FALSE(is_wisdom_list(""));
  EXPECT_FALSE(is_wisdom_list("()"));
  EXPECT_FALSE(is_wisdom_list(good + " "));
  EXPECT_FALSE(is_wisdom_list(list_with("#x1 #x2")));
  EXPECT_FALSE(is_wisdom_list(list_with("#x1 #x2 #x3 #x4")));
  EXPECT_FALSE(is_wisdom_list(list_with("#x1 #xg #x3")));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(is_wisdom_list(good.substr(0, size))) << size;
}

}  // namespace
}  // namespace toroid::fft::local
