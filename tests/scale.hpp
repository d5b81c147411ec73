// How much data a test takes. Every set and every build runs the same code paths.
//
//   landing set, Release        all of it
//   landing set, sanitizers     an eighth: seeds, shapes, settings, repetitions
//   thorough set                all of it, and the full products of what the landing set combines
//   in pairs
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOROID_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TOROID_SANITIZED 1
#endif
#endif

namespace toroid::testing {

#ifdef TOROID_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Whether this is the thorough set: tools/dev/thorough says so in the environment.
inline bool is_thorough() {
  static const bool kThorough = std::getenv("TOROID_THOROUGH") != nullptr;
  return kThorough;
}

/// The n of a test whose data is drawn or repeated n times; at least `least`, which is at most n.
template <typename Number>
Number scaled(Number n, Number least = 1) {
  return kSanitized && !is_thorough() ? std::max<Number>(n / 8, least) : n;
}

/// What has no number to divide: a torus, a size.
template <typename T>
T full_or(T full, T least) {
  return kSanitized && !is_thorough() ? least : full;
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
  if (!kSanitized || is_thorough()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += 8) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace toroid::testing
