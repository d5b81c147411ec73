// Replaces fftw_kernel.cpp and fftw_wisdom.cpp in builds with -DTOROID_FFTW=OFF.
#include <string>
#include <string_view>

#include "fft/kernels/fftw.hpp"
#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

const Library* fftw() {
  return nullptr;
}

std::string_view fftw_name() {
  return "this toroid, which was built without FFTW (TOROID_FFTW)";
}

bool import_fftw_wisdom(std::string_view lists) {
  return lists.empty();
}

std::string fftw_wisdom() {
  return {};
}

void forget_fftw_wisdom() {}

}  // namespace toroid::fft::local
