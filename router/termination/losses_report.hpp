// The report of a run during which links or nodes have failed.
#pragma once

#include <string>
#include <string_view>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid::termination {

/// One line with the failures, the packets that cannot arrive, and `stall` (the report of who waits
/// for what). Empty if `stall` is empty and every packet has arrived. `from` is the text between a
/// packet count and LostPackets::source.
std::string losses_report(const Shape& shape, const FabricCounters& counters,
                          const std::string& stall, std::string_view from);

}  // namespace toroid::termination
