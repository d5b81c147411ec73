#include "tools/policies/check/check.hpp"

#include <string>

#include "hal/check.hpp"

namespace toroid {

int check_policy(const std::string& name, const PolicyCheckOptions& /*options*/) {
  throw BadInput("policy check " + name + ": cannot be checked yet");
}

}  // namespace toroid
