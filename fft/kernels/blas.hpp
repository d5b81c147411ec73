// Matrix products. Only blas.cpp and openblas.* know which BLAS computes them.
#pragma once

#include <complex>

namespace toroid::fft {

enum class Transpose : bool { no, yes };

/// Extents of a matrix product: op(a) is rows x inner, b is inner x columns, c is rows x columns.
struct ProductShape {
  int rows;
  int columns;
  int inner;
  int a_stride = 0;  ///< elements from one row of a to the next; 0 if a has no gaps
};

/// Loads the BLAS if it is not loaded yet. Call it early, so that a program on a host without a
/// BLAS fails before the run. Throws RunFailed if the BLAS cannot be loaded; so does multiply().
void load_blas();

/// c = op(a)·b + beta·c. All matrices are row-major; b and c have no gaps; if op transposes a, a is
/// stored as inner x rows. If beta is 0, c is not read. The product is computed on the calling
/// thread alone; for this, OpenBLAS is set to one thread for the whole process. Several threads may
/// call it at once. Equal operands give results with equal bits. The first product loads the BLAS.
void multiply(Transpose op, const ProductShape& shape, const float* a, const float* b, float beta,
              float* c);
void multiply(Transpose op, const ProductShape& shape, const double* a, const double* b,
              double beta, double* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<float>* a,
              const std::complex<float>* b, std::complex<float> beta, std::complex<float>* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<double>* a,
              const std::complex<double>* b, std::complex<double> beta, std::complex<double>* c);

}  // namespace toroid::fft
