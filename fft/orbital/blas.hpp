// Matrix products: the one place that knows which BLAS computes them.
#pragma once

#include <complex>

namespace toroid {

enum class Transpose : bool { no, yes };

struct ProductShape {
  int rows;
  int columns;
  int inner;
};

/// c = op(a)·b + beta·c. All matrices are row-major without gaps: op(a) rows x inner, b inner x
/// columns, c rows x columns; a itself is inner x rows where it is transposed. Where beta is 0, c
/// is not read. On the calling thread alone (OpenBLAS is told so, for the whole process); several
/// may call at once. Equal operands give equal bits.
void multiply(Transpose op, const ProductShape& shape, const float* a, const float* b, float beta,
              float* c);
void multiply(Transpose op, const ProductShape& shape, const double* a, const double* b,
              double beta, double* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<float>* a,
              const std::complex<float>* b, std::complex<float> beta, std::complex<float>* c);
void multiply(Transpose op, const ProductShape& shape, const std::complex<double>* a,
              const std::complex<double>* b, std::complex<double> beta, std::complex<double>* c);

}  // namespace toroid
