// Lower bounds for the message benchmarks.
#pragma once

#include <cstdint>

#include "hal/bounds.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/lab/benchmarks/node_pairs.hpp"
#include "tools/report/binding_bound.hpp"

namespace toroid {

/// Lower bound on the seconds of one operation of a benchmark. measure.hpp says what an operation
/// is.
struct BenchBound {
  double seconds = 0;
  BoundBy by = BoundBy::copy;
};

/// The bounds of one benchmark at all message sizes. In virtual time they are set by the links, the
/// processors or the latency (one way, or a round trip if a window is acknowledged). In wall-clock
/// time they are the time that the workers of the participating nodes need to copy the payload into
/// packets and out again.
class BenchBounds {
 public:
  /// REQUIRES: not `idle`; `bench` outlives this.
  BenchBounds(BenchKind kind, const MessageBench& bench);

  /// The bound for messages of `bytes` bytes; 0 seconds if there is none. `workers`: worker threads
  /// of all processes; only used in wall-clock time.
  BenchBound at(std::uint64_t bytes, unsigned workers) const;

 private:
  BenchBound virtual_bound(std::uint64_t bytes) const;

  BenchKind kind_;
  const MessageBench& bench_;
  BenchMessages messages_;
  /// Bounds of long streams between all pairs at once, in cycles; only used in virtual time.
  Bounds streams_{};
};

}  // namespace toroid
