// The nearest of the names that exist to one that was mistyped.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace toroid {

/// Least number of letters to add, drop or replace, or of neighbours to swap, that turn `a` into
/// `b`, none of them touched twice (Damerau's distance in its restricted form).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// What the user may have meant: the only name that begins with what was typed, four letters at
/// least; else the name that fewest edits make of it, whatever the case of letters, where no more
/// than one letter in three has to be edited; else one that begins mostly alike or has it as a word
/// between hyphens. Among equals the first. Empty: nothing is near.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

/// "; did you mean 'random'?", or empty where nothing is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

/// "unknown order 'randm'; did you mean 'random'? known: random, rank, shift".
std::string unknown_name(std::string_view what, std::string_view typed,
                         std::span<const std::string_view> known);

}  // namespace toroid
