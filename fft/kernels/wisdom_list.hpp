// The form of FFTW's wisdom, which FFTW itself takes for granted: it ends the program where a
// number of its planner's flags is larger than the field that it is for.
#pragma once

#include <string_view>

namespace toroid::fft::local {

/// Whether the text is a list as FFTW 3.3 writes it: a line that names the version, the precision
/// and a signature, then a line for each solver with its flags and the signature of its problem.
bool is_wisdom_list(std::string_view list);

}  // namespace toroid::fft::local
