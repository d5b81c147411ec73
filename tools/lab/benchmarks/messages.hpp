// Who sends to whom in the benchmarks of messages, and the work that makes.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// The messages of one operation of a benchmark, as its BatchTimes count operations.
struct BenchMessages {
  struct Pair {
    Rank from;
    Rank to;
  };
  std::vector<Pair> pairs;  ///< each sends as many messages; none: every node sends to every other
  double messages = 0;      ///< of all pairs together
  Rank nodes = 0;           ///< that send or receive
};
BenchMessages bench_messages(BenchKind kind, const MessageBench& bench);

/// The expected work of all messages of one size, where the user says how many iterations; else
/// none: by itself a benchmark takes as many as fill a moment. REQUIRES: not `idle`.
RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes);

}  // namespace toroid
