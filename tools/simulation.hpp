// A machine in virtual time with a node on every place: what the verbs run.
#pragma once

#include <deque>

#include "packet/node.hpp"
#include "router/sim_fabric.hpp"
#include "tools/progress.hpp"

namespace toroid {

/// Throws BadInput where this host cannot hold the nodes and so many bytes of arrays. Without it
/// the system would promise the memory and kill the process when it is used.
void check_memory(const Shape& shape, double array_bytes);

class Simulation {
 public:
  Simulation(const Shape& shape, const Machine& machine, const SimOptions& sim,
             const NodeOptions& node, bool quiet, std::uint64_t packets_expected);

  Node& node(Rank rank) { return nodes_[rank]; }
  std::deque<Node>& nodes() { return nodes_; }
  const std::deque<Node>& nodes() const { return nodes_; }
  /// Runs every node's program to its end and measures the processor time that the model takes.
  void run();

  const FabricCounters& counters() const { return fabric_.counters(); }
  /// When the last program ended, in cycles.
  Tick programs_end() const;
  double cpu_seconds() const { return cpu_seconds_; }
  double wall_seconds() const { return wall_seconds_; }

 private:
  Progress progress_;
  SimFabric fabric_;
  std::deque<Node> nodes_;  ///< never move: programs hold references
  double cpu_seconds_ = 0;
  double wall_seconds_ = 0;
};

}  // namespace toroid
