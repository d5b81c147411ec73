// What FFTW gives: fftw_kernel.cpp and fftw_wisdom.cpp, the only files that know it, or, with
// TOROID_FFTW=OFF, no_fftw.cpp, which has none of it.
#pragma once

#include <string>
#include <string_view>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Null in a build without FFTW.
const Library* fftw();

/// Name and version, for messages.
std::string_view fftw_name();
/// Takes FFTW's lists of wisdom; false if the text is anything else.
bool import_fftw_wisdom(std::string_view lists);
/// All wisdom of this process, first that in double precision; nothing without FFTW.
std::string fftw_wisdom();
void forget_fftw_wisdom();

}  // namespace toroid::fft::local
