// What toroid says of itself: help, manual pages and completion scripts, all made from the texts of
// its options.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <array>
#include <string>
#include <string_view>

namespace toroid {

/// What --help prints for a command, or for toroid itself: usage, options by groups and examples,
/// in lines that fit the page.
std::string help_text(const CLI::App& app);

/// The manual page of a command, or of toroid itself, in section 1; in man(7)'s macros, for man,
/// mandoc and groff.
std::string man_page(const CLI::App& app);
/// The page's name, "toroid" or "toroid-fft", which is the stem of its file's name.
std::string man_page_name(const CLI::App& app);

inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh", "fish"};

// Scripts that complete commands, options, names of values and files in a shell. Each belongs where
// its shell looks for it.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace toroid
