// Virtual time: one tick is one cycle of the machine's processor clock.
#pragma once

#include <cstdint>
#include <string_view>

namespace toroid {

using Tick = std::uint64_t;

/// The last cycle that virtual time may reach, 2^62: the sum of two or three such times still fits
/// a Tick, and is less than the largest Tick, which stands for never.
inline constexpr Tick kLastTick = Tick{1} << 62;

/// The number of cycles, rounded up. A number that differs from a whole one by no more than the
/// rounding of a few operations counts as whole: 238 B take 392 cycles of 700 MHz at 425 MB/s,
/// although 4.857... bit/cycle cannot be represented. Throws BadInput with `what` as the cause if
/// it is more than kLastTick or not a number.
Tick whole_cycles(double cycles, std::string_view what);

}  // namespace toroid
