// What a reader may do with an input that it cannot use.
#pragma once

#include <string>

#include "hal/check.hpp"

namespace toroid::fuzz {

/// Runs `read`, which may refuse by BadInput with one line. Everything else ends the program.
template <typename Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const BadInput& reason) {
    TOROID_CHECK(std::string(reason.what()).find('\n') == std::string::npos);
  }
}

}  // namespace toroid::fuzz
