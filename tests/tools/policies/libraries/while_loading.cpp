// Throws or ends the process while it is loaded. A copy of its file does what its name says, e.g.
// "initialization exit.so" or "entry throws a number.so".
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "tests/tools/policies/libraries/acts.hpp"

extern "C" __attribute__((visibility("default"))) const void* toroid_policy_library();

namespace {

void act_in(const std::string& place) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&toroid_policy_library), &info) == 0) return;
  const std::string name = std::filesystem::path(info.dli_fname).stem();
  if (name.starts_with(place + " ")) toroid::testing::act(name.substr(place.size() + 1));
}

const bool kInitialization = (act_in("initialization"), true);

}  // namespace

extern "C" const void* toroid_policy_library() {
  act_in("entry");
  return kInitialization ? nullptr : &kInitialization;
}
