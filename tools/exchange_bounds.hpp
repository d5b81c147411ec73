// What an exchange under a policy is held against.
#pragma once

#include "hal/bounds.hpp"
#include "packet/exchange_case.hpp"
#include "tools/emulation.hpp"
#include "tools/report.hpp"

namespace toroid {

/// Of what the exchange really sends, on minimal ways: where it is a sample, of the pairs of its
/// visits; where the policy combines messages, of their bytes in full packets, however they are put
/// together. Packets that the policy adds (acknowledgements, envelopes, ways round) do not count.
Bounds exchange_bounds(const ExchangeCase& exchange, const Machine& machine);

/// Beside the time that it took: in virtual time these bounds, else what copying all data into
/// packets and out again takes on this host. REQUIRES: it carries data where time is not virtual.
Timing exchange_timing(const ExchangeCase& exchange, const Bounds& bounds, const Machine& machine,
                       const Emulation& emulation, Tick cycles);

}  // namespace toroid
