// Jacobi's method in several processes. Start it with `toroid launch -n 4 ./ofi_jacobi`, with
// mpirun or srun, or alone. Node i holds x[i] of the system A x = b. A has 2 P on its diagonal and
// 1 elsewhere, for P nodes, and b is such that every x[i] is 1.
#include <cmath>
#include <cstdio>
#include <exception>
#include <toroid/hal/check.hpp>
#include <toroid/packet/node/collectives.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/job/job.hpp>
#include <toroid/router/ofi/ofi_fabric.hpp>

using namespace toroid;

Program jacobi(Node& node) {
  Collectives all(node);
  const double diagonal = 2.0 * node.size(), b = diagonal + node.size() - 1;
  double x = 0, change = 1;
  while (change > 1e-12) {
    const double others = co_await all.sum(x) - x;
    const double next = (b - others) / diagonal;
    change = co_await all.max(std::abs(next - x));  // the same on every node
    x = next;
  }
  TOROID_CHECK(std::abs(x - 1) < 1e-9);
}

int main() try {
  Job job = join_job();  // the processes that the launcher has started, or this one alone
  const auto fabric = make_ofi_fabric(job, Shape::parse("4x3"), Machine{});
  Runner(*fabric).run(jacobi);
  if (job.rank() == 0)  // its counters are those of all processes
    std::printf("processes: %u, packets: %llu\n", job.size(),
                static_cast<unsigned long long>(fabric->counters().delivered));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
