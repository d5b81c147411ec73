// The error message of a run that fails.
#pragma once

#include <functional>
#include <string>

#include "hal/check.hpp"

namespace toroid::testing {

inline std::string failure_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "nothing failed";
}

}  // namespace toroid::testing
