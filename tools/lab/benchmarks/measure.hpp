// The message benchmarks: what moving messages between nodes takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// The machine and the settings that all message benchmarks share.
struct MessageBench {
  Shape shape;
  Machine machine;
  RunOptions run;
  unsigned batches = 11;
  std::optional<std::uint64_t> iterations{};  ///< in all batches; else as many as suit the size
  std::optional<std::uint64_t> warm_up{};     ///< iterations before; else as many as in a batch
  std::uint32_t window = 64;                  ///< messages; for `bw` and `bibw`
};

/// Seconds per operation, one per batch, in ascending order.
struct BatchTimes {
  std::vector<double> seconds;
  std::uint64_t iterations;  ///< in all batches, without the warm-up
  std::uint64_t warm_up;     ///< iterations before them
  unsigned workers;          ///< threads of all processes

  double median() const { return seconds[seconds.size() / 2]; }
};

/// Ping-pong between the first node and the last. An operation is one way, an iteration there and
/// back.
BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes);
/// Messages from the first node to the last. An operation is a window of them and the last node's
/// acknowledgement.
BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes);
/// The same both ways at once, without acknowledgement: an operation ends when a node's own window
/// has left and the other's has arrived.
BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes);
/// The first half of the nodes streams to the second half, all pairs at once. An operation is one
/// message of every pair. A batch lasts from the first node of this process that begins it to the
/// last that ends it.
BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes);
/// All-to-all exchanges back to back, with so many bytes for every pair of nodes.
BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes);
/// The turn of a node that has nothing to do, one of many on a worker that a busy node keeps going
/// round. REQUIRES: at least two nodes.
BatchTimes measure_idle_turn(const MessageBench& bench);

}  // namespace toroid
