// Names that users type: converts names to values and suggests the nearest name for a typo.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "hal/check.hpp"

namespace toroid {

/// The restricted Damerau-Levenshtein distance: the least number of edits that turn `a` into `b`.
/// An edit adds, drops or replaces a letter or swaps two neighbours; no letter is edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the name that the user may have meant, or an empty text if no name is near. Ignores
/// case. Tries in this order, and takes the first of several equally good names:
/// 1. the shortest name that begins with the typed text, if the text has at least four letters and
///    all other names that begin with the text extend that name;
/// 2. the name at the smallest edit distance, which may be one edit per three letters, or one;
/// 3. a name whose beginning is mostly that of the typed text ("policies" and "policy"), or that
///    has the typed text as a word between hyphens.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

/// "; did you mean 'random'?", or an empty text if no name is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

/// "unknown order 'randm'; did you mean 'random'? known: random, rank, shift".
std::string unknown_name(std::string_view what, std::string_view typed,
                         std::span<const std::string_view> known);

/// Returns the value whose name is `text`. If there is none, throws BadInput; its message has the
/// nearest name and all names.
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
