// Checks the form of FFTW's wisdom. FFTW itself does not check it: it ends the program if a number
// in the planner's flags is too large for its field.
#pragma once

#include <string_view>

namespace toroid::fft::local {

/// Whether the text is a list as FFTW 3.3 writes it: a line with the version, the precision and a
/// signature, then a line per solver with its flags and its problem's signature.
bool is_wisdom_list(std::string_view list);

}  // namespace toroid::fft::local
