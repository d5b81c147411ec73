#include "hal/shared_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hal/check.hpp"

namespace toroid {
namespace {

using ::testing::StartsWith;

constexpr const char* kMath = "libm.so.6";

template <typename Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "";
}

TEST(SharedLibrary, HasFunctionsThatOutliveTheHandle) {
  double (*root)(double) = nullptr;
  SharedLibrary(kMath, "mathematics", Symbols::own).find("sqrt", root);
  EXPECT_EQ(root(81), 9);
}

TEST(SharedLibrary, NamesAMissingFunction) {
  void (*none)() = nullptr;
  const SharedLibrary math(kMath, "mathematics", Symbols::own);
  EXPECT_EQ(refusal_of([&] { math.find("no_such_function", none); }),
            "libm.so.6 has no function no_such_function");
}

TEST(SharedLibrary, NamesTheLibraryAndTheReasonIfLoadingFails) {
  EXPECT_THAT(refusal_of([] { SharedLibrary("libnone.so.7", "a fiction", Symbols::own); }),
              StartsWith("cannot load a fiction: libnone.so.7"));
}

}  // namespace
}  // namespace toroid
