// Optional measurement of the time that a node spends on packets.
#pragma once

#include "hal/tick.hpp"

namespace toroid {

/// Durations in ticks of the node's own clock. Only work counts: the time in which a node looks at
/// the network and finds nothing to do counts as waiting. The work of a DMA engine does not count.
struct PacketTimes {
  Tick sending = 0;    ///< describing messages, gathering payloads, writing packets or puts, and
                       ///< forwarding packets through the node
  Tick receiving = 0;  ///< handling received packets; copying the bytes of puts
};

}  // namespace toroid
