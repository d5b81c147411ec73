// Names that users type: the value that one stands for, and the existing name nearest to a mistyped
// one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "hal/check.hpp"

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

/// The value whose name is `text`. Throws BadInput with the nearest name and the known ones.
template <typename Enum>
Enum parse_choice(std::string_view what, std::span<const std::string_view> names,
                  std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  throw BadInput(one_line(unknown_name(what, text, names)));
}

template <typename Enum>
std::string_view name_of(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace toroid
