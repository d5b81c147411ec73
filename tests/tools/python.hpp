// Runs Python, for tests that compare with its libraries if they are installed.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

/// Returns a Python interpreter that has these modules, or an empty string.
inline std::string python_with(const std::string& modules) {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (std::system((python + " -c 'import " + modules + "' 2>/dev/null").c_str()) == 0)
      return python;
  return {};
}

/// Returns whether the script succeeds in the directory.
inline bool run_python(const std::string& python, const TemporaryDirectory& directory,
                       const std::string& script) {
  directory.save("script.py", script);
  const std::string command = "cd '" + directory.path().string() + "' && " + python + " script.py";
  return std::system(command.c_str()) == 0;
}

}  // namespace toroid::testing
