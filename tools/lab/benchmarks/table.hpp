// The output of the message benchmarks: the headers and columns of the OSU benchmarks, and further
// columns for the bounds.
#pragma once

#include <cstdint>
#include <string>

#include "tools/lab/benchmarks/bounds.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/measure.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Returns the row of one message size. Its keys:
/// - bytes, iterations, warm_up
/// - time_s, least_s, most_s, spread_s: the median, least, greatest and standard deviation of the
///   batches' times per operation
/// - if there is a bound: bound_s, bound_by, percent_of_bound
/// - for benchmarks of bandwidth: messages_per_s, packets_per_s, bytes_per_s, each summed over all
///   pairs and both directions; if there is a bound, also bound_messages_per_s and
///   bound_bytes_per_s
Json bench_row(BenchKind kind, const MessageBench& bench, std::uint64_t bytes,
               const BatchTimes& times, const BenchBound& bound);

/// Header lines, which begin with '#'; that of `alltoall` has the policy. `is_full`: `alltoall`
/// also shows the times of its fastest and slowest batch.
std::string bench_header(BenchKind kind, const MessageBench& bench, bool is_full);
std::string bench_line(BenchKind kind, const Json& row, bool is_full);

}  // namespace toroid
