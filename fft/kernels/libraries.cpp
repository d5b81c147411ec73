#include "fft/kernels/fftw.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/kissfft.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {

bool has(LibraryName name) {
  return name == LibraryName::kissfft || fftw() != nullptr;
}

LibraryName default_library() {
  return has(LibraryName::fftw) ? LibraryName::fftw : LibraryName::kissfft;
}

const Library& library(LibraryName name) {
  if (!has(name))
    throw BadInput("kernel 'fftw' is not available: built without FFTW (TOROID_FFTW)");
  return name == LibraryName::fftw ? *fftw() : kissfft();
}

}  // namespace toroid::fft::local
