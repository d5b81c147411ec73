// The numbers of handlers.
#pragma once

#include "hal/packet.hpp"

namespace toroid {

/// Handlers below this number are the layer's own.
inline constexpr HandlerId kFirstUserHandler = 16;
inline constexpr HandlerId kMaxHandlers = 256;

}  // namespace toroid
