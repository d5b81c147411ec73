// Copies of the policy libraries of the build, in a test's own folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

inline const Arguments kLibraryRun = {"alltoall", "--torus", "4x4x4"};

class LibraryCopies : public ::testing::Test {
 protected:
  /// Copies a library into the test's own folder and returns its path, e.g. "./mine.so". Must not
  /// overwrite a library that this process has loaded, because the loaded code would change.
  std::string copied(const std::string& name, const std::string& as = "mine.so") const {
    std::filesystem::copy_file(std::string(TOROID_POLICY_LIBRARIES) + "/" + name + ".so",
                               directory_.path() / as,
                               std::filesystem::copy_options::overwrite_existing);
    return "./" + as;
  }

  const TemporaryDirectory directory_;
};

}  // namespace toroid::testing
