// Messages from rank 0 to rank 1, an answer after each window of 64, seconds per message.
//   mpirun -n 2 mpi_rate [bytes = 256]
#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/baselines/report.hpp"

namespace {

constexpr int kBatches = 30, kWindows = 200, kWindow = 64;

void window(int rank, std::vector<char>& messages, int bytes) {
  MPI_Request requests[kWindow];
  char answer = 0;
  for (int i = 0; i < kWindow; ++i) {
    char* const message = messages.data() + static_cast<std::size_t>(i) * bytes;
    if (rank == 0)
      MPI_Isend(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
  if (rank == 0)
    MPI_Recv(&answer, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&answer, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

double batch(int rank, std::vector<char>& messages, int bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < kWindows; ++i) window(rank, messages, bytes);
  return (MPI_Wtime() - start) / kWindows / kWindow;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = argc > 1 ? baseline::positive(argv[1]) : 256;
  std::vector<char> messages(static_cast<std::size_t>(bytes) * kWindow);
  batch(rank, messages, bytes);
  std::vector<double> seconds;
  for (int i = 0; i < kBatches; ++i) seconds.push_back(batch(rank, messages, bytes));
  baseline::Report report("mpi_rate");
  report.row("\"bytes\":" + std::to_string(bytes), seconds);
  if (rank == 0) report.print();
  MPI_Finalize();
}
