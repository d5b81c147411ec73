#include "tools/measure/work.hpp"

#include <cstdint>

#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/stream.hpp"
#include "tools/measure/kind.hpp"
#include "tools/measure/message_bench.hpp"
#include "tools/run/expectation.hpp"

namespace toroid {
namespace {

/// Between the first node and the one that it sends to.
RunWork between(const Shape& shape, Rank peer, double packets) {
  return {packets, packets * minimal_hops(shape, shape.coord(0), shape.coord(peer)), 0};
}

RunWork work_of_iteration(BenchKind kind, const MessageBench& bench, double packets) {
  const Rank nodes = bench.shape.size();
  switch (kind) {
    case BenchKind::bw:
      return between(bench.shape, nodes - 1, bench.window * packets);
    case BenchKind::latency:
      return between(bench.shape, nodes - 1, 2 * packets);
    case BenchKind::bibw:
      return between(bench.shape, nodes - 1, 2.0 * bench.window * packets);
    case BenchKind::rate:
      return between(bench.shape, nodes / 2, nodes / 2 * packets);
    case BenchKind::alltoall:
    case BenchKind::idle:
      break;
  }
  return group_work(bench.shape, 0, bench.shape.dims(), packets * nodes * (nodes - 1.0));
}

}  // namespace

RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes) {
  if (!bench.iterations) return {};
  const auto counted = static_cast<double>(*bench.iterations);
  const double before =
      bench.warm_up ? static_cast<double>(*bench.warm_up) : counted / bench.batches;
  return work_of_iteration(kind, bench, static_cast<double>(Stream::packets_of(bytes))) *
         (counted + before);
}

}  // namespace toroid
