// Help, manual pages and completion scripts, all made from the texts of the options.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <array>
#include <string>
#include <string_view>

namespace toroid {

/// Which options a help text shows: the usual ones (about ten, which most runs need), or all of
/// them.
enum class HelpDetail : bool { usual, all };

/// The --help text of a command, or of toroid itself: usage, options by group and examples, in
/// lines that fit the page. A command with few options always shows all of them.
std::string help_text(const CLI::App& app, HelpDetail detail = HelpDetail::usual);

/// The manual page (section 1) of a command, or of toroid itself, in the macros of man(7), as man,
/// mandoc and groff read them.
std::string man_page(const CLI::App& app);
/// The page's name, "toroid" or "toroid-fft", which is also the stem of its file's name.
std::string man_page_name(const CLI::App& app);

inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh", "fish"};

// Scripts that complete commands, options, names of values and files in a shell.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace toroid
