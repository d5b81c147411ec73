// OpenBLAS itself. It is not linked, but loaded when load_blas() or the first matrix product needs
// it. A linked OpenBLAS would take memory in every program, and start a spinning thread per core.
#pragma once

#include <cblas.h>

namespace toroid::fft {

/// The exported functions that toroid uses.
struct OpenBlas {
  decltype(&::cblas_sgemm) sgemm;
  decltype(&::cblas_dgemm) dgemm;
  decltype(&::cblas_cgemm) cgemm;
  decltype(&::cblas_zgemm) zgemm;
  /// Products must be computed one at a time, whichever thread computes them.
  bool one_at_a_time;
};

/// The library, which stays loaded and computes on the calling thread alone. Any thread may make
/// the first call. Throws RunFailed if it cannot be loaded, or if the process's memory limit
/// (ulimit -v or -d) leaves no room for it.
const OpenBlas& openblas();

}  // namespace toroid::fft
