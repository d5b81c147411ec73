// The form of a file of wisdom: a line with format, length and checksum, then the wisdom. FFTW ends
// the process where what it is given is damaged, so that it is given nothing else than what was
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toroid::fft::local {

/// The content of a file with this wisdom.
std::string formatted_wisdom(std::string_view wisdom);
/// The wisdom in a file's content, a part of that text; nothing if it has no such line, or another
/// length or checksum than the line says.
std::optional<std::string_view> wisdom_of_format(std::string_view content);

}  // namespace toroid::fft::local
