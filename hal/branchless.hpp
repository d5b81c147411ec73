// Turns conditions into bit masks, for loops over unpredictable data: g++ compiles many conditional
// expressions to branches, and a mispredicted branch costs about 20 cycles.
#pragma once

namespace toroid {

/// A word with all bits set if the condition holds, otherwise 0.
constexpr unsigned all_if(bool condition) {
  return 0u - static_cast<unsigned>(condition);
}

}  // namespace toroid
