// The message benchmarks: what moving messages between nodes takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/command_line/options.hpp"

namespace toroid {

/// What all of them need.
struct MessageBench {
  Shape shape;
  Machine machine;
  RunOptions run;
  unsigned batches = 11;
  std::optional<std::uint64_t> iterations{};  ///< all batches' that count; else as suits the size
  std::optional<std::uint64_t> warm_up{};     ///< iterations before them; else as many as a batch's
  std::uint32_t window = 64;                  ///< messages, of benchmarks that have one
};

/// Seconds per operation, one per batch, in ascending order.
struct BatchTimes {
  std::vector<double> seconds;
  std::uint64_t iterations;  ///< that count, of all batches
  std::uint64_t warm_up;     ///< iterations before them
  unsigned workers;          ///< of all processes

  double median() const { return seconds[seconds.size() / 2]; }
};

/// Ping-pong between the first node and the last: one way. An iteration is there and back.
BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes);
/// From the first node to the last: per window of messages and the last one's acknowledgement of
/// it, which is an iteration.
BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes);
/// Likewise both ways at once, without acknowledgement: an iteration ends when the own window has
/// left and the other's has arrived.
BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes);
/// The first half of the nodes streams to the second half, all pairs at once: per message of every
/// pair, which is an iteration. A batch lasts from the first that begins to the last that ends, of
/// the nodes of this process.
BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes);
/// All-to-all exchange with so many bytes for every pair, back to back.
BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes);
/// A turn of a node that has nothing to do: one of many on one worker that a busy one keeps going
/// round. REQUIRES: at least two nodes.
BatchTimes measure_idle_turn(const MessageBench& bench);

}  // namespace toroid
