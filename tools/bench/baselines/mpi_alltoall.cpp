// MPI_Alltoall, seconds per call: each sample is the mean over the ranks of a loop of calls
// without barriers (a barrier between calls would only add waiting).
//   mpirun ... mpi_alltoall BYTES...      bytes per pair of ranks
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/baselines/report.hpp"

namespace {

constexpr int kBatches = 11;
constexpr double kBatchSeconds = 0.005;

struct Exchange {
  int bytes, ranks;
  std::vector<char> out = std::vector<char>(static_cast<std::size_t>(bytes) * ranks, 'a');
  std::vector<char> in = std::vector<char>(out.size());

  // Seconds per call, the mean over all ranks; all ranks get it.
  double batch(int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i)
      MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
    const double mine = (MPI_Wtime() - start) / calls;
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / ranks;
  }
};

std::vector<double> measure(int bytes, int ranks) {
  Exchange exchange{bytes, ranks};
  exchange.batch(100);
  const double call = exchange.batch(100);
  const int calls = std::clamp(static_cast<int>(kBatchSeconds / call), 10, 100000);
  exchange.batch(calls);
  std::vector<double> seconds;
  for (int i = 0; i < kBatches; ++i) seconds.push_back(exchange.batch(calls));
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  baseline::Report report("mpi_alltoall");
  for (int i = 1; i < argc; ++i) {
    const int bytes = baseline::positive(argv[i]);
    report.row("\"bytes\":" + std::to_string(bytes), measure(bytes, ranks));
  }
  if (rank == 0) report.print();
  MPI_Finalize();
}
