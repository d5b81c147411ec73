// Interface to FFTW. It is implemented by fftw_kernel.cpp and fftw_wisdom.cpp, the only files that
// use FFTW, or, with TOROID_FFTW=OFF, by no_fftw.cpp, which provides nothing.
#pragma once

#include <string>
#include <string_view>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Null in a build without FFTW.
const Library* fftw();

/// Name and version, for messages.
std::string_view fftw_name();
/// Imports FFTW's lists of wisdom. Returns false if the text is anything else.
bool import_fftw_wisdom(std::string_view lists);
/// All FFTW wisdom of this process, double precision first; empty without FFTW.
std::string fftw_wisdom();
void forget_fftw_wisdom();

}  // namespace toroid::fft::local
