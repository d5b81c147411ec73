// A fabric with a Node at every rank of this process, for tests that run programs on any fabric.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/exchange/plans.hpp"

namespace toroid::testing {

inline constexpr HandlerId kHandler = kFirstUserHandler;

class EmulatedMachine {
 public:
  /// Wraps a node's device.
  using Decorate = std::function<std::unique_ptr<Device>(Device&)>;

  /// Makes the processor that runs in a node's place.
  using Wrap = std::function<Processor&(Node&, Device&)>;

  explicit EmulatedMachine(std::unique_ptr<Fabric> fabric, NodeOptions options = {},
                           const Decorate& decorate = {}, const Wrap& wrap = {})
      : fabric_(std::move(fabric)), ranks_(fabric_->nodes()), nodes_(shape().size()) {
    for (const Rank r : ranks_) {
      Device& device = fabric_->device(r);
      if (decorate) devices_.push_back(decorate(device));
      nodes_[r] = std::make_unique<Node>(decorate ? *devices_.back() : device, options);
      fabric_->attach(r, wrap ? wrap(*nodes_[r], device) : *nodes_[r]);
    }
  }

  Fabric& fabric() { return *fabric_; }
  const Shape& shape() const { return fabric_->shape(); }
  const FabricCounters& counters() const { return fabric_->counters(); }
  /// The nodes of this process.
  const std::vector<Rank>& ranks() const { return ranks_; }
  /// REQUIRES: the node is one of ranks().
  Node& node(Rank r) { return *nodes_[r]; }
  /// The number of nodes of the whole machine.
  Rank size() const { return static_cast<Rank>(nodes_.size()); }

  /// Runs `program(node)` on every node.
  template <typename MakeProgram>
  void run(const MakeProgram& program) {
    for (const Rank r : ranks_) nodes_[r]->run(program(*nodes_[r]));
    fabric_->run();
  }

  bool finished() const {
    return std::ranges::all_of(ranks_, [this](Rank r) { return nodes_[r]->finished(); });
  }
  /// The time when the last program ended.
  Tick finished_at() const {
    Tick last = 0;
    for (const Rank r : ranks_) last = std::max(last, nodes_[r]->finished_at());
    return last;
  }

 private:
  std::unique_ptr<Fabric> fabric_;
  std::vector<Rank> ranks_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Node>> nodes_;  ///< [rank]; null if another process has the node
};

inline Program receive_all(Node& node, Exchange* exchange) {
  exchange->start();
  const std::uint64_t expected = exchange->expected();
  co_await node.until(exchange->received(), expected);
}

/// An exchange of the whole machine. This object keeps the nodes' parts until the run is over,
/// because a node may have received everything while its own last packets still wait.
class MachineExchange {
 public:
  using MakeMessages = std::function<std::unique_ptr<Messages>(Node&)>;

  MachineExchange(EmulatedMachine& machine, const MakeMessages& make)
      : machine_(&machine), messages_(machine.size()), exchanges_(machine.size()) {
    for (const Rank r : machine.ranks()) messages_[r] = make(machine.node(r));
    const Rank first = machine.ranks().front();
    plan_ = plan_for(machine.node(first), *messages_[first]);
    for (const Rank r : machine.ranks())
      exchanges_[r] = std::make_unique<Exchange>(
          machine.node(r), kHandler, Group::all(machine.shape(), r), *plan_, *messages_[r]);
  }
  /// Sends `bytes` payload bytes between every pair, without storing them.
  MachineExchange(EmulatedMachine& machine, std::uint64_t bytes)
      : MachineExchange(machine, [bytes](Node& n) {
          return std::make_unique<UniformMessages>(n.shape(), bytes, kPayloadBytes);
        }) {}

  void run() {
    machine_->run([this](Node& n) { return receive_all(n, exchanges_[n.rank()].get()); });
  }
  Messages& messages(Rank r) { return *messages_[r]; }

 private:
  EmulatedMachine* machine_;
  std::vector<std::unique_ptr<Messages>> messages_;
  PlanPointer plan_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

}  // namespace toroid::testing
