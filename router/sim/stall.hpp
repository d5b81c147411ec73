// Why a run in virtual time cannot go on: who waits for what.
#pragma once

#include <span>
#include <string>

#include "router/sim/node.hpp"

namespace toroid::sim {

/// No event is left. Empty: everything has finished and nothing is under way. Else the report: the
/// cycle of buffers if packets block each other, or the nodes whose programs wait for ever.
std::string stall_report(const Network& network, std::span<const SimNode> nodes, Tick now);

}  // namespace toroid::sim
