// The message benchmarks: they measure how long messages between nodes take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {

/// The machine and settings of all message benchmarks.
struct MessageBench {
  Shape shape;
  Machine machine;
  RunOptions run;
  unsigned batches = 11;
  /// Total over all batches. If empty, a number that suits the message size.
  std::optional<std::uint64_t> iterations{};
  /// Iterations before the first batch. If empty, as many as in one batch.
  std::optional<std::uint64_t> warm_up{};
  std::uint32_t window = 64;  ///< messages per window; only for `bw` and `bibw`
};

/// Seconds per operation, one value per batch, in ascending order.
struct BatchTimes {
  std::vector<double> seconds;
  std::uint64_t iterations;  ///< total over all batches, without the warm-up
  std::uint64_t warm_up;     ///< iterations before the first batch
  unsigned workers;          ///< worker threads of all processes

  double median() const { return seconds[seconds.size() / 2]; }
  /// Standard deviation of the batches; 0 for one batch.
  double spread() const { return mean_and_deviation(seconds).deviation; }
};

/// Ping-pong between the first node and the last. An operation is one message. An iteration is a
/// round trip, i.e. two operations.
BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes);
/// Messages from the first node to the last. An operation is a window of messages and the
/// acknowledgement by the last node.
BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes);
/// Messages in both directions at once, without acknowledgement. An operation ends when a node's
/// own window has left and the other node's window has arrived.
BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes);
/// Each node of the first half sends a stream of messages to a node of the second half, all pairs
/// at once. An operation is one message of every pair. A batch begins when the first node of this
/// process begins it, and ends when the last node of this process has ended it.
BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes);
/// All-to-all exchanges back to back, with `bytes` bytes per pair of nodes. An operation is one
/// exchange. A batch lasts as in measure_rate(); the time of a single node would not do, because
/// packets for it may arrive before it begins.
BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes);
/// The time of one turn of a node that has nothing to do. One busy node keeps the worker cycling
/// through all of its nodes. REQUIRES: at least two nodes.
BatchTimes measure_idle_turn(const MessageBench& bench);

}  // namespace toroid
