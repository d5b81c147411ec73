// The files of a new policy, as they lie in this folder: @NAME@, @CLASS@ and @PREFIX@ stand for
// what `toroid policy new` puts in.
#pragma once

#include <string_view>

namespace toroid {

extern const std::string_view kPolicySource;
extern const std::string_view kPolicyBuild;

}  // namespace toroid
