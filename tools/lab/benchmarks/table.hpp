// The output of the message benchmarks, with the headers and columns of the OSU benchmarks, each
// figure followed by its bound.
#pragma once

#include <cstdint>
#include <string>

#include "tools/lab/benchmarks/bounds.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Returns the row of one message size. Its keys: bytes, time_s (of an operation), least_s, most_s,
/// iterations, warm_up, bound_s, bound_by, percent_of_bound. Benchmarks of bandwidth also have
/// bound_bytes_per_s, and messages_per_s, packets_per_s and bytes_per_s, which are sums over all
/// pairs and both directions.
Json bench_row(BenchKind kind, const MessageBench& bench, std::uint64_t bytes,
               const BatchTimes& times, const BenchBound& bound);

/// Header lines that begin with '#'. `is_full`: with least and most of the batches' times.
std::string bench_header(BenchKind kind, const MessageBench& bench, bool is_full);
std::string bench_line(BenchKind kind, const Json& row, bool is_full);

}  // namespace toroid
