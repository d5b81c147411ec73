// The message benchmarks: what moving messages between nodes takes.
#pragma once

#include <vector>

#include "tools/emulation.hpp"

namespace toroid {

/// What all of them need.
struct MessageBench {
  Shape shape;
  Machine machine;
  RunOptions run;
  unsigned batches = 11;
};

/// Seconds per operation, one per batch, in ascending order.
struct BatchTimes {
  std::vector<double> seconds;
  std::uint64_t per_batch;  ///< operations

  double median() const { return seconds[seconds.size() / 2]; }
};

/// Ping-pong between the first node and the last: one way.
BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes);
/// The first half of the nodes streams to the second half: per message of a pair.
BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes);
/// All-to-all exchange with so many bytes for every pair, back to back.
BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes);
/// A turn of a node that has nothing to do: one of many on one worker that a busy one keeps going
/// round. REQUIRES: at least two nodes.
BatchTimes measure_idle_turn(const MessageBench& bench);

}  // namespace toroid
