// Runs under a policy, for tests of policies as data.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

/// The result of an all-to-all of 300 bytes per pair. A path in `policy` is relative to `at`.
inline nlohmann::json all_to_all(const TemporaryDirectory& at, const std::string& policy,
                                 const std::string& torus = "4x4", const Arguments& more = {}) {
  return json_of(
      Arguments{"alltoall", "--torus", torus, "--bytes", "300", "--policy", policy, "--quiet"} +
          more,
      {.directory = at.path()});
}

}  // namespace toroid::testing
