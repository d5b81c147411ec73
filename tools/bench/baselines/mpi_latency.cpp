// MPI_Send and MPI_Recv back and forth between two ranks, seconds of one way (half a round trip).
//   mpirun -n 2 mpi_latency [bytes = 8]
#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/baselines/report.hpp"

namespace {

constexpr int kBatches = 30, kRoundTrips = 2000;

double batch(int rank, std::vector<char>& message) {
  const int bytes = static_cast<int>(message.size()), peer = 1 - rank;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < kRoundTrips; ++i) {
    if (rank == 0) MPI_Send(message.data(), bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(message.data(), bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(message.data(), bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / kRoundTrips / 2;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = argc > 1 ? baseline::positive(argv[1]) : 8;
  std::vector<char> message(static_cast<std::size_t>(bytes));
  batch(rank, message);
  std::vector<double> seconds;
  for (int i = 0; i < kBatches; ++i) seconds.push_back(batch(rank, message));
  baseline::Report report("mpi_latency");
  report.row("\"bytes\":" + std::to_string(bytes), seconds);
  if (rank == 0) report.print();
  MPI_Finalize();
}
