// Jacobi iteration in one dimension: each node owns some cells and puts its edge cells into its
// neighbours' windows before every step. The program at the other end takes no part in a put.
#include <cmath>
#include <cstdio>
#include <deque>
#include <span>
#include <toroid/hal/check.hpp>
#include <toroid/packet/exchange/window.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/sim/sim_fabric.hpp>
#include <vector>

using namespace toroid;

constexpr std::size_t kCells = 100;  // per node
constexpr std::uint64_t kSteps = 50;

struct Domain {
  explicit Domain(Node& node) : window(node, std::as_writable_bytes(std::span(halo))) {}
  std::vector<double> cells = std::vector<double>(kCells), next = cells;
  double halo[2][2] = {};  // [step mod 2][left, right]: a neighbour may be one step ahead
  Window window;           // on `halo`
};

Program jacobi(Node& node, Domain* domain) {
  std::vector<double>& u = domain->cells;
  const Rank left = (node.rank() + node.size() - 1) % node.size();
  const Rank right = (node.rank() + 1) % node.size();
  if (node.rank() == 0) u[0] = 1000;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const std::size_t row = step % 2 * sizeof(domain->halo[0]);
    const double edges[2] = {u.front(), u.back()};
    const auto bytes = std::as_bytes(std::span(edges));
    const PendingPut first = domain->window.put(left, row + 8, bytes.first(8), Acknowledge::no);
    const PendingPut last = domain->window.put(right, row, bytes.last(8), Acknowledge::no);
    co_await first.local();
    co_await last.local();
    co_await domain->window.arrived(16 * (step + 1));
    const double* halo = domain->halo[step % 2];
    for (std::size_t i = 0; i < kCells; ++i)
      domain->next[i] =
          ((i == 0 ? halo[0] : u[i - 1]) + u[i] + (i + 1 == kCells ? halo[1] : u[i + 1])) / 3;
    u.swap(domain->next);
    co_await node.compute(4 * kCells);  // the cycles of the loop on the modelled machine
  }
}

int main() {
  const auto fabric = make_sim_fabric(Shape::parse("8"), Machine{});
  Runner runner(*fabric);
  std::deque<Domain> domains;
  for (Node& node : runner.nodes()) node.run(jacobi(node, &domains.emplace_back(node)));
  runner.run();
  double sum = 0;
  for (const Domain& domain : domains)
    for (const double cell : domain.cells) sum += cell;
  TOROID_CHECK(std::abs(sum - 1000) < 1e-9);  // diffusion keeps the sum
  std::printf("%lld cycles\n", static_cast<long long>(runner.finished_at()));
}
