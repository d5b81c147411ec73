// Interface to FFTW. fftw_kernel.cpp and fftw_wisdom.cpp implement it; toroid's libraries use FFTW
// nowhere else. In builds with TOROID_FFTW=OFF, no_fftw.cpp implements it instead and provides
// nothing.
#pragma once

#include <string>
#include <string_view>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// The FFTW library; null in a build without it.
const Library* fftw();

/// FFTW's name and version, for messages.
std::string_view fftw_name();
/// Imports FFTW's lists of wisdom. Returns false if the text is anything else.
bool import_fftw_wisdom(std::string_view lists);
/// All FFTW wisdom of this process, double precision first; empty in a build without FFTW.
std::string fftw_wisdom();
void forget_fftw_wisdom();

}  // namespace toroid::fft::local
