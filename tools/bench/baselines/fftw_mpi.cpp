// Forward transform of N^3 complex doubles, or of N^3 real doubles to the half spectrum, by FFTW's
// MPI version; the result stays transposed. Prints the seconds that the slowest rank takes for a
// transform between two barriers. Planning and a first transform are not timed.
//   mpirun ... fftw_mpi [real] N REPEAT in|out|destroy[:WISDOM]...
#include <fftw3-mpi.h>
#include <fftw3.h>
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/baselines/fftw_field.hpp"
#include "tools/bench/baselines/report.hpp"

namespace {

// Runs one transform. Returns the seconds that the slowest rank takes; valid at rank 0 only.
double transform(fftw_plan plan, baseline::Field& input) {
  input.fill();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  fftw_execute(plan);
  const double mine = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return slowest;
}

int rank() {
  int mine;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  return mine;
}

fftw_plan make_plan(std::ptrdiff_t n, bool real, unsigned flags, baseline::Field& input,
                    baseline::Field& output) {
  if (real)
    return fftw_mpi_plan_dft_r2c_3d(n, n, n, reinterpret_cast<double*>(input.data()), output.data(),
                                    MPI_COMM_WORLD, flags);
  return fftw_mpi_plan_dft_3d(n, n, n, input.data(), output.data(), MPI_COMM_WORLD, FFTW_FORWARD,
                              flags);
}

// Rank 0 reads and writes the wisdom for all ranks.
fftw_plan plan(std::ptrdiff_t n, bool real, const baseline::Kind& kind, baseline::Field& input,
               baseline::Field& output) {
  int known = rank() == 0 && kind.read_wisdom();
  if (rank() != 0) fftw_forget_wisdom();
  MPI_Bcast(&known, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (known) fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  const fftw_plan made = make_plan(n, real, kind.flags | FFTW_MPI_TRANSPOSED_OUT, input, output);
  if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
  if (known) return made;
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (rank() == 0) kind.write_wisdom();
  return made;
}

std::vector<double> measure(std::ptrdiff_t n, bool real, int repeat, const baseline::Kind& kind) {
  std::ptrdiff_t planes, first, columns, first_column;
  const auto elements = static_cast<std::size_t>(fftw_mpi_local_size_3d_transposed(
      n, n, real ? n / 2 + 1 : n, MPI_COMM_WORLD, &planes, &first, &columns, &first_column));
  baseline::Field input(elements);
  std::unique_ptr<baseline::Field> separate;
  if (!kind.in_place) separate = std::make_unique<baseline::Field>(elements);
  const fftw_plan forward = plan(n, real, kind, input, separate ? *separate : input);
  transform(forward, input);
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) seconds.push_back(transform(forward, input));
  fftw_destroy_plan(forward);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  if (argc < 4) {
    std::fprintf(stderr, "fftw_mpi [real] N REPEAT in|out|destroy[:WISDOM]...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const bool real = std::string(argv[1]) == "real";
  if (real) ++argv, --argc;
  const int n = baseline::positive(argv[1]), repeat = baseline::positive(argv[2]);
  baseline::Report report("fftw_mpi");
  for (int i = 3; i < argc; ++i) {
    const baseline::Kind kind(argv[i]);
    report.row(kind.keys(), measure(n, real, repeat, kind));
  }
  if (rank() == 0) report.print();
  fftw_mpi_cleanup();
  MPI_Finalize();
}
