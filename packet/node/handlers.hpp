// Handler numbers.
#pragma once

#include "hal/packet.hpp"

namespace toroid {

/// Handlers below this number belong to the active-packet layer itself.
inline constexpr HandlerId kFirstUserHandler = 16;
inline constexpr HandlerId kMaxHandlers = 256;

}  // namespace toroid
