// Completion of the command in shells: verbs, options, names that values may be, files.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <array>
#include <string>
#include <string_view>

namespace toroid {

inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh", "fish"};

/// Scripts for the shells, of the whole command; each to be put where its shell looks for them.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace toroid
