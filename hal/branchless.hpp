// Conditions as masks, for loops over unpredictable data: g++ turns many conditional expressions
// into branches, and a mispredicted branch costs some 20 cycles.
#pragma once

namespace toroid {

/// All bits if the condition holds, otherwise none.
constexpr unsigned all_if(bool condition) {
  return 0u - static_cast<unsigned>(condition);
}

}  // namespace toroid
