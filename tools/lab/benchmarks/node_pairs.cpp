#include "tools/lab/benchmarks/node_pairs.hpp"

#include "hal/route.hpp"
#include "packet/exchange/stream.hpp"

namespace toroid {
namespace {

/// One message from each node of the first half to its partner in the second half.
BenchMessages between_halves(Rank nodes) {
  const Rank half = nodes / 2;
  BenchMessages result{{}, static_cast<double>(half), 2 * half};
  for (Rank sender = 0; sender < half; ++sender) result.pairs.push_back({sender, sender + half});
  return result;
}

double mean_hops(const Shape& shape, const std::vector<BenchMessages::Pair>& pairs) {
  double hops = 0;
  for (const auto& [from, to] : pairs)
    hops += minimal_hops(shape, shape.coord(from), shape.coord(to));
  return hops / static_cast<double>(pairs.size());
}

/// The work of one operation, with `packets` packets per message.
RunWork operation_work(const BenchMessages& messages, const Shape& shape, double packets) {
  const double all = messages.messages * packets;
  if (messages.pairs.empty()) return group_work(shape, 0, shape.dims(), all);
  return {all, all * mean_hops(shape, messages.pairs), 0};
}

}  // namespace

BenchMessages bench_messages(BenchKind kind, const MessageBench& bench) {
  const Rank nodes = bench.shape.size();
  const Rank last = nodes - 1;
  switch (kind) {
    case BenchKind::latency:
      return {{{0, last}}, 1, 2};
    case BenchKind::bw:
      return {{{0, last}}, static_cast<double>(bench.window), 2};
    case BenchKind::bibw:
      return {{{0, last}, {last, 0}}, 2.0 * bench.window, 2};
    case BenchKind::rate:
      return between_halves(nodes);
    case BenchKind::alltoall:
      return {{}, nodes * (nodes - 1.0), nodes};
    case BenchKind::idle:
      break;
  }
  return {};
}

RunWork bench_work(BenchKind kind, const MessageBench& bench, std::uint64_t bytes) {
  if (!bench.iterations) return {};
  const auto counted = static_cast<double>(*bench.iterations);
  const double before =
      bench.warm_up ? static_cast<double>(*bench.warm_up) : counted / bench.batches;
  const double operations =
      kind == BenchKind::latency ? 2 : 1;  // per iteration; a round trip is two
  return operation_work(bench_messages(kind, bench), bench.shape,
                        static_cast<double>(Stream::packets_of(bytes))) *
         (operations * (counted + before));
}

}  // namespace toroid
