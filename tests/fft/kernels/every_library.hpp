// Tests that run once for every library of this build.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "fft/kernels/kernel.hpp"

namespace toroid::testing {

/// The parameter is the library's name.
class EveryLibrary : public ::testing::TestWithParam<fft::local::LibraryName> {
 public:
  static std::vector<fft::local::LibraryName> names() {
    using fft::local::LibraryName;
    if (!fft::local::has(LibraryName::fftw)) return {LibraryName::kissfft};
    return {LibraryName::fftw, LibraryName::kissfft};
  }
  static std::string text_of(const ::testing::TestParamInfo<fft::local::LibraryName>& name) {
    return std::string(fft::local::kLibraryNames[static_cast<std::size_t>(name.param)]);
  }

 protected:
  static const fft::local::Library& library() { return fft::local::library(GetParam()); }
};

}  // namespace toroid::testing
