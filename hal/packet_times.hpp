// What a node's work on packets takes, for those who ask.
#pragma once

#include "hal/tick.hpp"

namespace toroid {

/// Durations in ticks of the node's own clock. Only work counts: a look at the network that finds
/// nothing to be done is waiting. Where a DMA engine moves packets, it is not the node's work.
struct PacketTimes {
  Tick sending = 0;    ///< describing messages, gathering payloads, writing packets or puts, also
                       ///< on their way through a node
  Tick receiving = 0;  ///< handling packets that have come; copying what puts name
};

}  // namespace toroid
