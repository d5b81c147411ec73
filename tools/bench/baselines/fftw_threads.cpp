// Forward transform of N^3 complex doubles by FFTW with threads, in one process. Prints seconds per
// transform; planning and a first transform are not timed.
//   fftw_threads N THREADS REPEAT in|out|destroy[:WISDOM]...
#include <fftw3.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "tools/bench/baselines/fftw_field.hpp"
#include "tools/bench/baselines/report.hpp"

namespace {

double transform(fftw_plan plan, baseline::Field& input) {
  input.fill();
  const double start = baseline::now();
  fftw_execute(plan);
  return baseline::now() - start;
}

std::vector<double> measure(int n, int repeat, const baseline::Kind& kind) {
  const auto side = static_cast<std::size_t>(n);
  baseline::Field input(side * side * side);
  std::unique_ptr<baseline::Field> separate;
  if (!kind.in_place) separate = std::make_unique<baseline::Field>(side * side * side);
  const bool known = kind.read_wisdom();
  const fftw_plan plan = fftw_plan_dft_3d(
      n, n, n, input.data(), (separate ? *separate : input).data(), FFTW_FORWARD, kind.flags);
  if (!known) kind.write_wisdom();
  transform(plan, input);
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) seconds.push_back(transform(plan, input));
  fftw_destroy_plan(plan);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "fftw_threads N THREADS REPEAT in|out|destroy[:WISDOM]...\n");
    return 2;
  }
  const int n = baseline::positive(argv[1]), repeat = baseline::positive(argv[3]);
  if (!fftw_init_threads()) return 1;
  fftw_plan_with_nthreads(baseline::positive(argv[2]));
  baseline::Report report("fftw_threads");
  for (int i = 4; i < argc; ++i) {
    const baseline::Kind kind(argv[i]);
    report.row(kind.keys(), measure(n, repeat, kind));
  }
  report.print();
  fftw_cleanup_threads();
}
