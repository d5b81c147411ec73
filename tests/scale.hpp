// How much data a test takes. Every set and every build runs the same code paths.
//
//   landing set, Release        all of it, of seeds and combinations a part (by_set, pairwise.hpp)
//   landing set, sanitizers     an eighth: seeds, shapes, settings, repetitions
//   thorough set                all of it, and the full products of what the landing set combines
//   in pairs
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::testing {

#ifdef TOROID_SANITIZED  // of tests/CMakeLists.txt: compilers tell it in different ways
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Whether this is the thorough set: tools/dev/thorough says so in the environment.
inline bool is_thorough() {
  static const char* const kWord = std::getenv("TOROID_THOROUGH");
  return kWord != nullptr && *kWord != '\0' && std::string_view(kWord) != "0";
}

/// Whether tests take a part of their data.
inline bool is_scaled() {
  return kSanitized && !is_thorough();
}

/// The n of a test whose data is drawn or repeated n times; at least `least`, which is at most n.
template <typename Number>
Number scaled(Number n, Number least = 1) {
  return is_scaled() ? std::max<Number>(n / 8, least) : n;
}

/// What has no number to divide: a torus, a size.
template <typename T>
T full_or(T full, T least) {
  return is_scaled() ? least : full;
}

/// How many seeds or repetitions of a test in the landing set (of which sanitizers take an eighth)
/// and in the thorough set.
template <typename Number>
Number by_set(Number landing, Number thorough) {
  return is_thorough() ? thorough : scaled(landing);
}

/// All values, or every eighth of them from the first on.
template <typename T>
std::vector<T> scaled(std::vector<T> all) {
  if (!is_scaled()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += 8) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace toroid::testing
