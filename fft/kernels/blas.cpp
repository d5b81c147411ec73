#include "fft/kernels/blas.hpp"

#include <cblas.h>

#include <mutex>

#include "fft/kernels/openblas.hpp"

namespace toroid::fft {
namespace {

/// Waits for the caller's turn if products must be computed one at a time; otherwise takes no lock.
std::unique_lock<std::mutex> take_turn(const OpenBlas& blas) {
  static std::mutex one_at_a_time;
  return blas.one_at_a_time ? std::unique_lock(one_at_a_time) : std::unique_lock<std::mutex>();
}

struct Arguments {
  Arguments(Transpose op, const ProductShape& s)
      : op(op == Transpose::yes ? CblasTrans : CblasNoTrans),
        shape(s),
        lda(s.a_stride > 0         ? s.a_stride
            : op == Transpose::yes ? s.rows
                                   : s.inner) {}
  CBLAS_TRANSPOSE op;
  ProductShape shape;
  int lda;
};

}  // namespace

void load_blas() {
  openblas();
}

void multiply(Transpose op, const ProductShape& shape, const float* a, const float* b, float beta,
              float* c) {
  const auto [trans, s, lda] = Arguments(op, shape);
  const OpenBlas& blas = openblas();
  const auto lock = take_turn(blas);
  blas.sgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, 1, a, lda, b,
             s.columns, beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const double* a, const double* b,
              double beta, double* c) {
  const auto [trans, s, lda] = Arguments(op, shape);
  const OpenBlas& blas = openblas();
  const auto lock = take_turn(blas);
  blas.dgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, 1, a, lda, b,
             s.columns, beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const std::complex<float>* a,
              const std::complex<float>* b, std::complex<float> beta, std::complex<float>* c) {
  const std::complex<float> one = 1;
  const auto [trans, s, lda] = Arguments(op, shape);
  const OpenBlas& blas = openblas();
  const auto lock = take_turn(blas);
  blas.cgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, &one, a, lda, b,
             s.columns, &beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const std::complex<double>* a,
              const std::complex<double>* b, std::complex<double> beta, std::complex<double>* c) {
  const std::complex<double> one = 1;
  const auto [trans, s, lda] = Arguments(op, shape);
  const OpenBlas& blas = openblas();
  const auto lock = take_turn(blas);
  blas.zgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, &one, a, lda, b,
             s.columns, &beta, c, s.columns);
}

}  // namespace toroid::fft
