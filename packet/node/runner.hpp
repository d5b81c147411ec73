// The simplest way to run programs: makes a node at every place of a fabric, and runs all nodes
// together.
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include "hal/fabric.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/immovable_array.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/agreement.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// Makes a node for every place of a fabric that this process runs, and attaches it.
class Runner {
 public:
  /// `fabric` must outlive the run. Throws BadInput if the fabric has processors already.
  explicit Runner(Fabric& fabric, const NodeOptions& options = {});
  Runner(const Runner&) = delete;
  ~Runner();

  /// The nodes of this process, by rank. They do not move: programs hold references.
  ImmovableArray<Node>& nodes() { return nodes_; }
  const ImmovableArray<Node>& nodes() const { return nodes_; }

  /// The node of this rank. Throws BadInput if it is not one of this process's nodes.
  Node& node(Rank rank);

  /// Gives every node the program that `program(node)` makes, and runs all to their end. Throws
  /// what Fabric::run() throws, RunFailed if a message has arrived that no receive has taken or a
  /// receive waits for a message, and BadInput if the fabric has run already or has been destroyed.
  template <std::invocable<Node&> MakeProgram>
  void run(MakeProgram&& program) {
    for (Node& node : nodes_) node.run(std::invoke(program, node));
    run();
  }
  /// The same if the nodes already have their programs.
  void run();

  /// When the last program of this process ended, in cycles. Programs that did not end, such as
  /// those of nodes that failed, do not count. REQUIRES: after run().
  Tick finished_at() const;
  /// Counts of filling and draining on the nodes of this process. REQUIRES: after run().
  FlowchartProfile profile() const;

 private:
  Fabric* fabric_;
  std::weak_ptr<const void> life_;  ///< the fabric's
  Agreement agreement_;
  ImmovableArray<Node> nodes_;
  bool ran_ = false;
};

}  // namespace toroid
