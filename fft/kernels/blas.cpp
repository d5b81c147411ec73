#include "fft/kernels/blas.hpp"

#include <cblas.h>

#include <complex>
#include <mutex>

namespace toroid::fft {
namespace {

/// A node computes on its own worker thread. OpenBLAS would start threads of its own for large
/// products, which would share out their sums differently. Returns whether this OpenBLAS is a
/// sequential build.
bool keep_to_the_calling_thread() {
  openblas_set_num_threads(1);
  return openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
}

/// OpenBLAS's sequential builds share buffers without a lock, so that concurrent calls would spoil
/// each other's results: there calls go one at a time. Threaded builds do not wait here.
std::unique_lock<std::mutex> lock_if_sequential() {
  static const bool sequential = keep_to_the_calling_thread();
  static std::mutex one_at_a_time;
  return sequential ? std::unique_lock(one_at_a_time) : std::unique_lock<std::mutex>();
}

struct Arguments {
  Arguments(Transpose op, const ProductShape& s)
      : op(op == Transpose::yes ? CblasTrans : CblasNoTrans),
        shape(s),
        lda(op == Transpose::yes ? s.rows : s.inner) {}
  CBLAS_TRANSPOSE op;
  ProductShape shape;
  int lda;
};

}  // namespace

void multiply(Transpose op, const ProductShape& shape, const float* a, const float* b, float beta,
              float* c) {
  const auto [trans, s, lda] = Arguments(op, shape);
  const auto lock = lock_if_sequential();
  cblas_sgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, 1, a, lda, b,
              s.columns, beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const double* a, const double* b,
              double beta, double* c) {
  const auto [trans, s, lda] = Arguments(op, shape);
  const auto lock = lock_if_sequential();
  cblas_dgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, 1, a, lda, b,
              s.columns, beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const std::complex<float>* a,
              const std::complex<float>* b, std::complex<float> beta, std::complex<float>* c) {
  const std::complex<float> one = 1;
  const auto [trans, s, lda] = Arguments(op, shape);
  const auto lock = lock_if_sequential();
  cblas_cgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, &one, a, lda, b,
              s.columns, &beta, c, s.columns);
}

void multiply(Transpose op, const ProductShape& shape, const std::complex<double>* a,
              const std::complex<double>* b, std::complex<double> beta, std::complex<double>* c) {
  const std::complex<double> one = 1;
  const auto [trans, s, lda] = Arguments(op, shape);
  const auto lock = lock_if_sequential();
  cblas_zgemm(CblasRowMajor, trans, CblasNoTrans, s.rows, s.columns, s.inner, &one, a, lda, b,
              s.columns, &beta, c, s.columns);
}

}  // namespace toroid::fft
