// Words as users of other programs type them, and toroid's own words for them.
#pragma once

#include <string>
#include <string_view>

#include "tools/options/arguments.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The arguments with toroid's own words: `toroid version`, `-np 2` of launch, "4X4" and "4,4" of
/// --torus and --size, "neighbor" of --traffic, and a shape right after the verb. Arguments that
/// have no synonym stay as they are.
Words with_own_words(const CLI::App& app, Words arguments);

/// The command's option for a name that other programs use: "--traffic" for "--pattern"; empty if
/// there is none.
std::string own_option(const CLI::App& command, std::string_view typed);

/// "4x4", "4X4x2m" or "4,4".
bool looks_like_shape(std::string_view word);

/// Why a name for --fabric is wrong if it is a provider of libfabric or a launcher; empty
/// otherwise.
std::string wrong_fabric(std::string_view name);

}  // namespace toroid
