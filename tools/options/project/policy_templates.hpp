// The two files of a new policy, with the text that they have in this folder. `toroid policy new`
// replaces @NAME@, @CLASS@ and @PREFIX@ in them.
#pragma once

#include <string_view>

namespace toroid {

extern const std::string_view kPolicySource;
extern const std::string_view kPolicyBuild;

}  // namespace toroid
