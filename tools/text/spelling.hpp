// Finds the existing name that is nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace toroid {

/// The restricted Damerau-Levenshtein distance: the least number of letters to add, drop or
/// replace, or of neighbours to swap, that turns `a` into `b` and touches no letter twice.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that the user may have meant; empty where none is near. Tried in this order, regardless
/// of case, the first among equals:
/// 1. the only name that begins with what was typed, if that has four letters or more;
/// 2. the name at the smallest edit distance, if no more than one letter in three differs;
/// 3. a name that begins mostly alike, or has what was typed as a word between hyphens.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

/// "; did you mean 'random'?", or empty where no name is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

/// "unknown order 'randm'; did you mean 'random'? known: random, rank, shift".
std::string unknown_name(std::string_view what, std::string_view typed,
                         std::span<const std::string_view> known);

}  // namespace toroid
