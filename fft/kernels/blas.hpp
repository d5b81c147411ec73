// Matrix products. blas.cpp is the only file that knows the BLAS.
#pragma once

#include <complex>

namespace toroid::fft {

enum class Transpose : bool { no, yes };

/// Extents of a matrix product: op(a) is rows x inner, b is inner x columns, c is rows x columns.
struct ProductShape {
  int rows;
  int columns;
  int inner;
};

/// c = op(a)·b + beta·c. All matrices are row-major without gaps; a transposed a is inner x rows.
/// If beta is 0, c is not read. The product is computed on the calling thread alone, which sets
/// OpenBLAS's threads to one for the whole process. Several threads may call at once. Equal
/// operands give equal bits.
void multiply(Transpose op, const ProductShape& shape, const float* a, const float* b, float beta,
              float* c);
void multiply(Transpose op, const ProductShape& shape, const double* a, const double* b,
              double beta, double* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<float>* a,
              const std::complex<float>* b, std::complex<float> beta, std::complex<float>* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<double>* a,
              const std::complex<double>* b, std::complex<double> beta, std::complex<double>* c);

}  // namespace toroid::fft
