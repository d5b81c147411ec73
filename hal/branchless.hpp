// Conditions as masks, for loops whose data nobody can predict: g++ makes branches of many
// conditional expressions, and a branch that is predicted wrongly costs some 20 cycles.
#pragma once

namespace toroid {

/// All bits or none.
constexpr unsigned all_if(bool condition) {
  return 0u - static_cast<unsigned>(condition);
}

}  // namespace toroid
