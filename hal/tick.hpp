// Virtual time: one tick is one cycle of the machine's processor clock.
#pragma once

#include <cstdint>

namespace toroid {

using Tick = std::uint64_t;

}  // namespace toroid
