// Tables of calls that violate the preconditions of public headers. A folder's requires_test.cpp
// has its tables.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "hal/check.hpp"

namespace toroid::testing {

struct Violation {
  const char* precondition;  ///< its name in tests/architecture/requires.txt
  const char* condition;     ///< a part of the condition or message that names the failure
  void (*violate)();
};

inline void expect_aborts(std::span<const Violation> violations) {
  for (const Violation& violation : violations)
    EXPECT_DEATH(violation.violate(), std::string("CHECK failed: .*") + violation.condition)
        << violation.precondition;
}

/// The message of the exception that the violation throws.
inline std::string thrown_by(const Violation& violation) {
  try {
    violation.violate();
  } catch (const BadInput& refused) {
    return refused.what();
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "nothing was thrown";
}

inline void expect_thrown(std::span<const Violation> violations) {
  for (const Violation& violation : violations) {
    const std::string message = thrown_by(violation);
    EXPECT_NE(message.find(violation.condition), std::string::npos)
        << violation.precondition << ": " << message;
  }
}

#ifdef TOROID_CHECKED
inline constexpr bool kIsCheckedBuild = true;
#else
inline constexpr bool kIsCheckedBuild = false;
#endif

/// Violations that only a checked build notices; elsewhere the test is skipped.
inline void expect_aborts_in_a_checked_build(std::span<const Violation> violations) {
  if (!kIsCheckedBuild)
    GTEST_SKIP() << "these preconditions are checked only in builds with -DTOROID_CHECKED=ON";
  expect_aborts(violations);
}

}  // namespace toroid::testing
