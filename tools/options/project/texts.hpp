// The files of a new policy, as they are in this folder: `toroid policy new` replaces @NAME@,
// @CLASS@ and @PREFIX@.
#pragma once

#include <string_view>

namespace toroid {

extern const std::string_view kPolicySource;
extern const std::string_view kPolicyBuild;

}  // namespace toroid
