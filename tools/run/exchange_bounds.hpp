// What is computed about an exchange under a policy before it runs: its bounds, and whether failed
// links leave it paths.
#pragma once

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {

/// Lower bounds on the time of an exchange.
struct ExchangeLimits {
  Bounds bounds;          ///< for the paths that the policy may use
  Tick hottest_link = 0;  ///< for shortest paths; percent_of_peak is computed from it
};

/// The bounds for the messages that the exchange really sends. In a sample only the pairs that it
/// visits count. If the policy combines messages, their bytes count as full packets. What a policy
/// adds (acknowledgements, envelopes, detours) does not count. `by_engines` says whether the
/// machine's DMA engines move packets; they do so only if the policy allows it.
ExchangeLimits exchange_limits(const TrafficExchange& exchange, const Machine& machine,
                               bool by_engines = false);

/// check_paths() for the messages that the exchange sends. Does nothing if its policy relays or
/// combines them.
void check_paths(const TrafficExchange& exchange);

/// The time of an exchange with its bound. In virtual time the bound is the tightest of `limits`;
/// otherwise it is exchange_copy_seconds(), the time of the necessary copies on this host.
/// REQUIRES: the exchange carries payload if and only if time is that of the wall clock.
Timing exchange_timing(const TrafficExchange& exchange, const ExchangeLimits& limits,
                       const Machine& machine, const Emulation& emulation, Tick cycles);

}  // namespace toroid
