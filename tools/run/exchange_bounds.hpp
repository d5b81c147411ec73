// What an exchange under a policy is held against.
#pragma once

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "tools/report/bound.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {

/// What no run of an exchange beats.
struct ExchangeLimits {
  Bounds bounds;          ///< of the ways that its policy may take
  Tick hottest_link = 0;  ///< of shortest ways: what percent_of_peak is of, for every policy alike
};

/// The bounds of what the exchange really sends. A sample is bounded by the pairs that it visits. A
/// policy that combines messages is bounded by their bytes in full packets, however they are put
/// together. Packets that a policy adds (acknowledgements, envelopes) do not count, nor do detours.
/// `by_engines`: DMA engines move the packets, unless the policy keeps them from it.
ExchangeLimits exchange_limits(const TrafficExchange& exchange, const Machine& machine,
                               bool by_engines = false);

/// The time of an exchange beside its bound: in virtual time one of these bounds, else what copying
/// all data into packets and out again takes on this host. REQUIRES: it carries data where time is
/// not virtual.
Timing exchange_timing(const TrafficExchange& exchange, const ExchangeLimits& limits,
                       const Machine& machine, const Emulation& emulation, Tick cycles);

}  // namespace toroid
