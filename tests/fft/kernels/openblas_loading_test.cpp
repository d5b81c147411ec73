// OpenBLAS is loaded when products are needed, and not earlier.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fft/kernels/blas.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

bool has_openblas() {
  return ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

/// Runs in its own process, because other tests of this program load the library.
TEST(OpenBlasDeathTest, IsNotLoadedByABlueprintAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ask = [] {
    const Blueprint asked({.size = {8, 8, 8}, .method = Method::orbital}, Shape::parse("2x2x2"));
    if (has_openblas()) std::exit(2);
    load_blas();
    std::exit(has_openblas() ? 0 : 3);
  };
  EXPECT_EXIT(ask(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace toroid::fft
