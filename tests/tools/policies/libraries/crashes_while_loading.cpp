// Crashes while it is loaded.
#include <cstdlib>

namespace {

const bool kNever = (std::abort(), true);

}  // namespace

extern "C" const void* toroid_policy_library() {
  return &kNever;
}
