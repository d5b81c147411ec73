// Figures of single nodes: when each ended, what it sent and received, how long its FIFOs stalled.
#pragma once

#include <string>

#include "tools/run/run_result.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The nodes that ended first and last, the ten that ended last (`slowest`, the last one first)
/// and, in virtual time, the one whose injection FIFOs were stalled for longest. Nodes that had
/// failed are left out; null if no node is left.
Json per_node_json(const Counted& counted, bool is_virtual);

/// A CSV of all nodes in the order of their ranks: rank, coordinates, the figures of
/// per_node_json(). Fields of nodes that did not run are 0.
std::string per_node_csv(const Counted& counted, bool is_virtual);

/// The lines about nodes in the table of a run.
std::string per_node_text(const Json& per_node);

}  // namespace toroid
