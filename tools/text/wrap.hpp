// Breaks text into lines of a limited length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// The columns of a page, into which all printed text fits.
inline constexpr std::size_t kPageColumns = 80;

/// The words of a text in lines of at most `columns` letters, one blank between words. A longer
/// word stands whole on a line of its own.
std::vector<std::string> word_wrapped(std::string_view text, std::size_t columns);

/// A text in lines of at most `width` letters, each with its newline; all but the first begin with
/// `indent` blanks. Blanks within a line stay as they are, and a word longer than a line is broken.
std::string with_hanging_indent(std::string_view text, std::size_t width, std::size_t indent);

/// An entry of a list: `heading` in a first column `indent` from the left, `text` from column
/// `begin` on, below where the heading leaves no room. Each line ends with a newline.
std::string list_entry(std::string_view heading, std::string_view text, std::size_t indent,
                       std::size_t begin);

}  // namespace toroid
