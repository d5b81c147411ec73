// Senders and receivers in the message benchmarks, and the work of their messages.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// The messages of one operation of a benchmark, as BatchTimes counts operations.
struct BenchMessages {
  struct Pair {
    Rank from;
    Rank to;
  };
  /// Each pair sends equally many messages. Empty: every node sends to every other.
  std::vector<Pair> pairs;
  double messages = 0;  ///< total over all pairs
  Rank nodes = 0;       ///< number of nodes that send or receive
};
BenchMessages bench_messages(BenchKind kind, const MessageBench& bench);

/// Expected work of all messages of one size. It is 0 unless the user gives the number of
/// iterations: the benchmark then chooses a number that takes a moment. REQUIRES: not `idle`.
RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes);

}  // namespace toroid
