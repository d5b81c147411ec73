// Scales the amount of a test's data. Every set and every build runs the same code paths.
//
//   landing set, Release        all data, but fewer seeds (by_set) and combinations (pairwise.hpp)
//   landing set, sanitizers     an eighth of the seeds, shapes, settings and repetitions
//   thorough set                all data, all seeds and every combination
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::testing {

#ifdef TOROID_SANITIZED  // set by tests/CMakeLists.txt: compilers define different macros
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Whether this is the thorough set, as set in the environment by tools/dev/thorough.
inline bool is_thorough() {
  static const char* const kWord = std::getenv("TOROID_THOROUGH");
  return kWord != nullptr && *kWord != '\0' && std::string_view(kWord) != "0";
}

/// Whether tests use only a part of their data.
inline bool is_scaled() {
  return kSanitized && !is_thorough();
}

/// A test's number of draws or repetitions: n, or in a scaled test an eighth of n, but at least
/// `least` (<= n).
template <typename Number>
Number scaled(Number n, Number least = 1) {
  return is_scaled() ? std::max<Number>(n / 8, least) : n;
}

/// Returns `full`, or `least` in a scaled test: for values that cannot be divided by eight, such as
/// a torus or a size.
template <typename T>
T full_or(T full, T least) {
  return is_scaled() ? least : full;
}

/// A number of seeds or repetitions: `landing` for the landing set (an eighth of it with
/// sanitizers), `thorough` for the thorough set.
template <typename Number>
Number by_set(Number landing, Number thorough) {
  return is_thorough() ? thorough : scaled(landing);
}

/// All values or, in a scaled test, every eighth of them, starting with the first.
template <typename T>
std::vector<T> scaled(std::vector<T> all) {
  if (!is_scaled()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += 8) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace toroid::testing
