// Words as users of other programs type them, and toroid's own words for them.
#pragma once

#include <string>
#include <string_view>

#include "tools/options/cli_fwd.hpp"
#include "tools/options/unparsed_arguments.hpp"

namespace toroid {

/// The arguments, with words of other programs replaced by toroid's own. Replaced are `toroid
/// version`, `-np` of launch, "4X4" and "4,4" as values of --torus and --size, NumPy's names as
/// values of --type and --precision, names such as "neighbor" as values of --traffic, and a shape
/// right after the verb. Other arguments stay as
/// they are.
Words with_own_words(const CLI::App& app, Words arguments);

/// The command's option for a name that other programs use: "--traffic" for "--pattern"; empty if
/// there is none.
std::string own_option(const CLI::App& command, std::string_view typed);

/// Whether the word is a shape, such as "4x4", "4X4x2m" or "4,4".
bool looks_like_shape(std::string_view word);

/// If the name typed after --fabric is a provider of libfabric or a launcher: a text that says so,
/// and what to write instead. Otherwise empty.
std::string wrong_fabric(std::string_view name);

}  // namespace toroid
