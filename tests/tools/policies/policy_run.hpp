// A run under a policy, for tests of policies that come as data.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

/// The result of an all-to-all of 300 bytes a pair. The policy is named from the directory.
inline nlohmann::json all_to_all(const TemporaryDirectory& at, const std::string& policy,
                                 const std::string& torus = "4x4", const Arguments& more = {}) {
  return json_of(
      Arguments{"alltoall", "--torus", torus, "--bytes", "300", "--policy", policy, "--quiet"} +
          more,
      {.directory = at.path()});
}

}  // namespace toroid::testing
