// A library for a later version of the interface.
#include <toroid/packet/policies/library.hpp>

#include <cstdint>

namespace {

using namespace toroid;

constexpr PolicyLayout kOtherLayout[kPolicyLayout.size()] = {{"Machine", 1}};
constexpr PolicyLibrary kLibrary = {kPolicyInterface + 1,
                                    static_cast<std::uint32_t>(kPolicyLayout.size()),
                                    kOtherLayout,
                                    kStandardLibrary,
                                    false,
                                    false,
                                    nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* toroid_policy_library() {
  return &kLibrary;
}
