// Entry of the library: returns the policy named like its file.
#include <dlfcn.h>

#include <filesystem>

#include "hal/check.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"

extern "C" __attribute__((visibility("default"))) const void* toroid_policy_library() {
  Dl_info info{};
  TOROID_CHECK(::dladdr(reinterpret_cast<void*>(&toroid_policy_library), &info) != 0);
  const auto& all = toroid::testing::broken_policies();
  const auto found = all.find(std::filesystem::path(info.dli_fname).stem().native());
  TOROID_CHECK(found != all.end());
  return found->second;
}
