// OpenBLAS itself. It is loaded when a matrix product is first wanted: a process that wants none
// has neither its memory nor the threads that it starts for every core when it is loaded, which
// spin.
#pragma once

#include <cblas.h>

namespace toroid::fft {

/// The exported functions that are used here.
struct OpenBlas {
  decltype(&::cblas_sgemm) sgemm;
  decltype(&::cblas_dgemm) dgemm;
  decltype(&::cblas_cgemm) cgemm;
  decltype(&::cblas_zgemm) zgemm;
  /// Products must be computed one at a time, by whatever threads.
  bool one_at_a_time;
};

/// The library, which stays loaded and computes on the calling thread alone. Any thread may be the
/// first that calls. Throws RunFailed if it
/// cannot be loaded or if the limit of the process's memory (ulimit -v or -d) leaves no room for
/// it.
const OpenBlas& openblas();

}  // namespace toroid::fft
