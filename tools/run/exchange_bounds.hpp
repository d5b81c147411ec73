// The bounds that an exchange under a policy is compared with.
#pragma once

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "tools/report/bound.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {

/// Lower bounds on the time of an exchange.
struct ExchangeLimits {
  Bounds bounds;          ///< for the ways that its policy may take
  Tick hottest_link = 0;  ///< for shortest ways, whatever the policy: the base of percent_of_peak
};

/// The bounds for the messages that the exchange really sends. A sample counts only the pairs that
/// it visits. A policy that combines messages counts their bytes in full packets. Packets that a
/// policy adds (acknowledgements, envelopes) and detours do not count. `by_engines`: DMA engines
/// move the packets, unless the policy prevents that.
ExchangeLimits exchange_limits(const TrafficExchange& exchange, const Machine& machine,
                               bool by_engines = false);

/// The time of an exchange with its bound: in virtual time one of `limits`, otherwise the time of
/// copying all data into packets and out again on this host. REQUIRES: in wall-clock time the
/// exchange carries data.
Timing exchange_timing(const TrafficExchange& exchange, const ExchangeLimits& limits,
                       const Machine& machine, const Emulation& emulation, Tick cycles);

}  // namespace toroid
