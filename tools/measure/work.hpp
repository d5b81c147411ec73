// What a benchmark of messages will take.
#pragma once

#include <cstdint>

#include "tools/measure/kind.hpp"
#include "tools/measure/message_bench.hpp"
#include "tools/run/expectation.hpp"

namespace toroid {

/// Of one size of messages, where the user says how many iterations; else none: by itself a
/// benchmark takes as many as take a moment. REQUIRES: not `idle`.
RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes);

}  // namespace toroid
