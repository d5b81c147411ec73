// Virtual time: one tick is one cycle of the machine's processor clock.
#pragma once

#include <cstdint>
#include <string_view>

namespace toroid {

using Tick = std::uint64_t;

/// The last cycle that virtual time may reach, 2^62: sums of a few times that are no later than
/// this fit a Tick, and so does a time that never comes.
inline constexpr Tick kLastTick = Tick{1} << 62;

/// So many cycles, rounded up. Throws BadInput, which names what takes so long, if they are more
/// than kLastTick or no number.
Tick whole_cycles(double cycles, std::string_view what);

}  // namespace toroid
