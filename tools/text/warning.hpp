// Warnings: a run goes on, but its user should know of something.
#pragma once

#include <cstdio>
#include <string>

#include "hal/check.hpp"

namespace toroid {

/// Writes one line to standard error, also with --quiet.
inline void warn(const std::string& what) {
  std::fputs(("toroid: warning: " + one_line(what) + "\n").c_str(), stderr);
}

}  // namespace toroid
