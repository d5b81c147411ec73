// What the benchmarks of messages are held against.
#pragma once

#include <cstdint>

#include "hal/bounds.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/lab/benchmarks/messages.hpp"
#include "tools/report/bound.hpp"

namespace toroid {

/// Seconds per operation of a benchmark, as its BatchTimes count them, that no run beats.
struct BenchBound {
  double seconds = 0;
  BoundBy by = BoundBy::copy;
};

/// The bounds of one benchmark at every size of its messages. In virtual time the links, the
/// processors or the way there (and back where a window is acknowledged) bind; else what the
/// workers of the nodes that take part need to copy the payload into packets and out again.
class BenchBounds {
 public:
  /// REQUIRES: not `idle`; `bench` outlives this.
  BenchBounds(BenchKind kind, const MessageBench& bench);

  /// The bound for messages of so many bytes; 0 seconds where nothing binds. `workers`, those of
  /// all processes, matter where time is the wall clock's.
  BenchBound at(std::uint64_t bytes, unsigned workers) const;

 private:
  BenchBound virtual_bound(std::uint64_t bytes) const;

  BenchKind kind_;
  const MessageBench& bench_;
  BenchMessages messages_;
  Bounds streams_{};  ///< cycles of a long stream from every pair, where time is virtual
};

}  // namespace toroid
