// A policy in its own shared library, which the command loads if --policy gives its path:
//
//   class NearestFirst final : public toroid::Policy { ... };
//   TOROID_POLICY(NearestFirst)
//
// The class is constructed without arguments (--policy ./nearest.so), or from an unsigned number,
// its parameter (--policy ./nearest.so:8). It may have both constructors. An exception from the
// constructor is shown as one line.
#pragma once

#include <bits/c++config.h>

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include "hal/machine.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The version of the interface between a library and the command: the virtual functions of Policy
/// and Traffic, and the meaning of PolicyLibrary.
inline constexpr std::uint32_t kPolicyInterface = 1;

/// The types that both sides use, by name and size. If names or sizes differ, the library was
/// compiled against other headers.
struct PolicyLayout {
  std::string_view type;
  std::uint32_t bytes;
};
inline constexpr std::array kPolicyLayout = {
    PolicyLayout{"Machine", sizeof(Machine)},
    PolicyLayout{"Policy", sizeof(Policy)},
    PolicyLayout{"PolicyCase", sizeof(PolicyCase)},
    PolicyLayout{"PolicySettings", sizeof(PolicySettings)},
    PolicyLayout{"SendOrder", sizeof(SendOrder)},
    PolicyLayout{"Shape", sizeof(Shape)},
    PolicyLayout{"Traffic", sizeof(Traffic)},
    PolicyLayout{"Visitor", sizeof(Visitor)},
    PolicyLayout{"Waypoint", sizeof(Waypoint)},
};

/// The name of the standard library. It must be the same on both sides, because they share its
/// types.
#if defined(_LIBCPP_VERSION)
inline constexpr const char* kStandardLibrary = "libc++";
#elif defined(_GLIBCXX_DEBUG)
inline constexpr const char* kStandardLibrary = "libstdc++ with _GLIBCXX_DEBUG";
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
inline constexpr const char* kStandardLibrary = "libstdc++ of before C++11";
#else
inline constexpr const char* kStandardLibrary = "libstdc++";
#endif

/// The information that a library gives about itself and its policy. `interface` is the first
/// member in every version, so that libraries of other versions can be refused with a clear
/// message.
struct PolicyLibrary {
  std::uint32_t interface;
  std::uint32_t layout_entries;
  const PolicyLayout* layout;
  const char* standard_library;
  bool takes_parameter;
  bool needs_parameter;
  /// Makes a new policy. If the constructor throws, returns null and sets `why` to the message.
  /// `parameter` is null if none is given.
  const Policy* (*make)(const unsigned* parameter, std::string& why);
};

namespace detail {

template <typename Class>
const Policy* construct_policy(const unsigned* parameter) {
  if constexpr (std::is_constructible_v<Class, unsigned>)
    if (parameter != nullptr) return new Class(*parameter);
  if constexpr (std::is_default_constructible_v<Class>) return new Class();
  return nullptr;
}

template <typename Class>
const Policy* make_policy(const unsigned* parameter, std::string& why) {
  try {
    return construct_policy<Class>(parameter);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "its constructor threw something other than a std::exception";
  }
  return nullptr;
}

template <typename Class>
const PolicyLibrary* policy_library() {
  static_assert(std::is_base_of_v<Policy, Class>,
                "TOROID_POLICY: the class must derive from Policy");
  static_assert(std::is_default_constructible_v<Class> || std::is_constructible_v<Class, unsigned>,
                "TOROID_POLICY: the class needs a constructor without arguments or from unsigned");
  static constexpr PolicyLibrary kLibrary = {kPolicyInterface,
                                             static_cast<std::uint32_t>(kPolicyLayout.size()),
                                             kPolicyLayout.data(),
                                             kStandardLibrary,
                                             std::is_constructible_v<Class, unsigned>,
                                             !std::is_default_constructible_v<Class>,
                                             make_policy<Class>};
  return &kLibrary;
}

}  // namespace detail
}  // namespace toroid

/// Makes a library's policy known to the command. Use it once per library.
#define TOROID_POLICY(Class)                                                                    \
  extern "C" __attribute__((visibility("default"), used)) const void* toroid_policy_library() { \
    return ::toroid::detail::policy_library<Class>();                                           \
  }
