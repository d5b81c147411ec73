// Senders and receivers in the message benchmarks, and the expected work of their messages.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// The messages of one operation of a benchmark. measure.hpp says what an operation is.
struct BenchMessages {
  struct Pair {
    Rank from;
    Rank to;
  };
  /// All pairs send the same number of messages. Empty if every node sends to every other node.
  std::vector<Pair> pairs;
  double messages = 0;  ///< total over all pairs
  Rank nodes = 0;       ///< number of nodes that send or receive
};
BenchMessages bench_messages(BenchKind kind, const MessageBench& bench);

/// Expected work of all messages of one size. It is 0 if the user does not give the number of
/// iterations, because the benchmark then chooses a number that takes little time. REQUIRES: not
/// `idle`.
RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes);

}  // namespace toroid
