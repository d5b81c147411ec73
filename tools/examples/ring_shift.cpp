// Blocks travel once round a ring of nodes. Each node adds up the numbers of every block that
// passes. The next block arrives meanwhile, so communication overlaps with work. No barrier is
// needed.
#include <array>
#include <cstdio>
#include <deque>
#include <numeric>
#include <span>
#include <toroid/hal/check.hpp>
#include <toroid/packet/exchange/ring_shift.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/sim/sim_fabric.hpp>
#include <vector>

using namespace toroid;

constexpr std::size_t kNumbers = 1000;  // in a block

struct Ring {
  explicit Ring(Node& node)
      : shift(node, kFirstUserHandler,
              {.to = (node.rank() + 1) % node.size(),
               .from = (node.rank() + node.size() - 1) % node.size()},
              kNumbers * sizeof(std::uint64_t)) {}
  std::array<std::vector<std::uint64_t>, 2> buffers{std::vector<std::uint64_t>(kNumbers),
                                                    std::vector<std::uint64_t>(kNumbers)};
  RingShift shift;
};

Program sum_of_all(Node& node, Ring* ring) {
  ring->buffers[0].assign(kNumbers, node.rank());
  ring->shift.begin(std::as_writable_bytes(std::span(ring->buffers[0])),
                    std::as_writable_bytes(std::span(ring->buffers[1])));
  std::uint64_t sum = 0;
  for (Rank step = 0; step < node.size(); ++step) {
    const std::uint64_t all = ring->shift.arrived_with(ring->shift.size());
    co_await node.until(ring->shift.arrived(), all);
    ring->shift.release();  // the block may be sent on while it is read
    const auto* block = reinterpret_cast<const std::uint64_t*>(ring->shift.block());
    sum = std::accumulate(block, block + kNumbers, sum);
    co_await node.compute(kNumbers);
    step + 1 < node.size() ? ring->shift.advance() : ring->shift.end();
  }
  const std::uint64_t left = ring->shift.sent_with_all();
  co_await node.until(ring->shift.sent(), left);
  TOROID_CHECK_EQ(sum, kNumbers * node.size() * (node.size() - 1) / 2);
}

int main() {
  const auto fabric = make_sim_fabric(Shape::parse("8"), Machine{});
  Runner runner(*fabric);
  std::deque<Ring> rings;
  for (Node& node : runner.nodes()) node.run(sum_of_all(node, &rings.emplace_back(node)));
  runner.run();
  std::printf("%lld cycles\n", static_cast<long long>(runner.finished_at()));
}
