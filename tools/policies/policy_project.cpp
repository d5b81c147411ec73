#include "tools/policies/policy_project.hpp"

#include <string>

#include "hal/check.hpp"

namespace toroid {

std::string write_policy_project(const std::string& name, const std::string& /*directory*/) {
  throw BadInput("policy new " + name + ": cannot be written yet");
}

}  // namespace toroid
