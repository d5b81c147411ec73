// The version of toroid and the commit that it was built from. The commit is defined in a source of
// its own, so that only this source is compiled again after a commit.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "hal/version.hpp"  // IWYU pragma: export

namespace toroid {

/// The first twelve digits of the commit, with "-dirty" appended if files differ from it; "unknown"
/// if git does not know the commit.
extern const std::string_view kGitHash;

/// "0.2.0 (5a83c198e00f)"
inline std::string version_and_commit() {
  return fmt::format("{} ({})", kVersion, kGitHash);
}

}  // namespace toroid
