// Reads a file that a user named as one text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace toroid {

/// The text of the file; none where it cannot be read. Throws BadInput where it is longer than
/// `longest` bytes, since a device may be endless.
std::optional<std::string> read_text(const std::string& path, std::size_t longest);

}  // namespace toroid
