// What the benchmarks of messages are held against.
#pragma once

#include <cstdint>

#include "tools/measure/kind.hpp"
#include "tools/measure/message_bench.hpp"
#include "tools/results/bound.hpp"

namespace toroid {

/// Seconds per operation of a benchmark, as its BatchTimes count them, that no run beats.
struct BenchBound {
  double seconds = 0;
  BoundBy by = BoundBy::copy;
};

/// In virtual time: the links, the processors, or the way there (and back where a window is
/// acknowledged). Else what the workers of the nodes that take part need to copy the payload into
/// packets and out again; 0 where there is none. REQUIRES: not `idle`.
BenchBound bench_bound(BenchKind kind, const MessageBench& bench, std::uint64_t bytes,
                       unsigned workers);

}  // namespace toroid
