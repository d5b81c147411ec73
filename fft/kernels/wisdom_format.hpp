// The format of a wisdom file: one line with format, length and checksum, then the wisdom. FFTW
// ends the process if its wisdom is damaged, so it only gets text that is exactly as it was
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toroid::fft::local {

/// The content of a file with the given wisdom.
std::string formatted_wisdom(std::string_view wisdom);
/// The wisdom in a file's content, as a view into that content. None if the first line is missing
/// or its length or checksum does not match.
std::optional<std::string_view> wisdom_of_format(std::string_view content);

}  // namespace toroid::fft::local
