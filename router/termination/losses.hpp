// What is said of a run in whose course links or nodes have failed.
#pragma once

#include <string>
#include <string_view>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid::termination {

/// What failed, which packets cannot arrive, and `stall`, the report of who waits for what; one
/// line. Empty if `stall` is and every packet has arrived. `from`: what stands between a packet's
/// count and LostPackets::source.
std::string losses_report(const Shape& shape, const FabricCounters& counters,
                          const std::string& stall, std::string_view from);

}  // namespace toroid::termination
