// An all-to-all of known blocks on a stepped machine.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "router/placement/process_partition.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/ofi/stepped_machine.hpp"

namespace toroid::testing {

class SteppedExchange {
 public:
  SteppedExchange(SteppedMachine& machine, std::uint64_t bytes) : machine_(machine) {
    for (Rank r = 0; r < machine.size(); ++r)
      blocks_.push_back(known_blocks(machine.node(r), bytes));
    plan_ = plan_for(machine.node(0), *blocks_[0]);
    for (Rank r = 0; r < machine.size(); ++r)
      exchanges_.emplace_back(machine.node(r), kHandler, Group::all(machine.node(r).shape(), r),
                              *plan_, *blocks_[r]);
  }
  void run() {
    machine_.run([&](Node& node) { return receive_all(node, &exchanges_[node.rank()]); });
  }
  void start() {
    machine_.start([&](Node& node) { return receive_all(node, &exchanges_[node.rank()]); });
  }
  void expect_all_arrived() const {
    for (Rank r = 0; r < machine_.size(); ++r) expect_known(*blocks_[r], r, machine_.size());
  }
  void expect_complete() const {
    expect_all_arrived();
    for (const Exchange& exchange : exchanges_) EXPECT_TRUE(exchange.all_sent());
  }

 private:
  SteppedMachine& machine_;
  std::vector<std::unique_ptr<BlockMessages>> blocks_;
  PlanPointer plan_;
  std::deque<Exchange> exchanges_;
};

/// Number of ordered pairs of nodes in different processes.
inline std::uint64_t pairs_between(const Shape& shape, unsigned processes) {
  const Partition partition(shape, processes);
  std::uint64_t between = 0;
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b)
      between += partition.owner(a) != partition.owner(b) ? 1 : 0;
  return between;
}

}  // namespace toroid::testing
