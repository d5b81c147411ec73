// The message benchmarks: they measure how long messages between nodes take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// The machine and settings of all message benchmarks.
struct MessageBench {
  Shape shape;
  Machine machine;
  RunOptions run;
  unsigned batches = 11;
  std::optional<std::uint64_t> iterations{};  ///< in all batches; empty: suits the size
  std::optional<std::uint64_t> warm_up{};     ///< iterations before; empty: as in a batch
  std::uint32_t window = 64;                  ///< messages; for `bw` and `bibw`
};

/// Seconds per operation, one value per batch, in ascending order.
struct BatchTimes {
  std::vector<double> seconds;
  std::uint64_t iterations;  ///< total over all batches, without the warm-up
  std::uint64_t warm_up;     ///< iterations before the first batch
  unsigned workers;          ///< threads of all processes

  double median() const { return seconds[seconds.size() / 2]; }
};

/// Ping-pong between the first node and the last. An operation is one way, an iteration a round
/// trip.
BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes);
/// Messages from the first node to the last. An operation is a window of messages and the
/// acknowledgement by the last node.
BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes);
/// Messages in both directions at once, without acknowledgement. An operation ends when a node's
/// own window has left and the other node's window has arrived.
BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes);
/// Each node of the first half streams to a node of the second half, all pairs at once. An
/// operation is one message of every pair. A batch lasts from the first node of this process that
/// begins it to the last that ends it.
BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes);
/// All-to-all exchanges back to back, with `bytes` bytes per pair of nodes.
BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes);
/// The turn of a node that has nothing to do. One busy node keeps the worker cycling through all of
/// its nodes. REQUIRES: at least two nodes.
BatchTimes measure_idle_turn(const MessageBench& bench);

}  // namespace toroid
