#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <latch>
#include <thread>
#include <vector>

#include "fft/kernels/blas.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using testing::noise_of;

template <typename T>
void expect_product(Transpose op, const ProductShape& s, double tolerance) {
  const auto count = [](int a, int b) { return static_cast<std::size_t>(a * b); };
  const auto a = noise_of<T>(count(s.rows, s.inner), 1);
  const auto b = noise_of<T>(count(s.inner, s.columns), 2);
  const auto before = noise_of<T>(count(s.rows, s.columns), 3);
  for (const bool add : {false, true}) {
    auto c = before;
    multiply(op, s, a.data(), b.data(), add ? T(1) : T(0), c.data());
    for (int i = 0; i < s.rows; ++i)
      for (int j = 0; j < s.columns; ++j) {
        T sum = add ? before[count(i, s.columns) + count(j, 1)] : T(0);
        for (int k = 0; k < s.inner; ++k)
          sum += a[op == Transpose::yes ? count(k, s.rows) + count(i, 1)
                                        : count(i, s.inner) + count(k, 1)] *
                 b[count(k, s.columns) + count(j, 1)];
        EXPECT_LE(std::abs(c[count(i, s.columns) + count(j, 1)] - sum), tolerance);
      }
  }
}

TEST(Blas, MultipliesRowMajorMatricesOfEveryType) {
  for (const Transpose op : {Transpose::no, Transpose::yes})
    for (const ProductShape& shape : {ProductShape{1, 1, 1}, {2, 3, 4}, {9, 3, 5}, {4, 17, 6}}) {
      expect_product<float>(op, shape, 1e-5);
      expect_product<double>(op, shape, 1e-14);
      expect_product<std::complex<float>>(op, shape, 1e-5);
      expect_product<std::complex<double>>(op, shape, 1e-14);
    }
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

/// OpenBLAS must ignore the four threads that the environment asks for. The test proves this only
/// if it computes the first product of the process, because the first product loads the library.
TEST(Blas, StartsNoThreadsAndLeavesTheEnvironmentUnchanged) {
  const std::ptrdiff_t before = threads_of_this_process();
  ::setenv("OPENBLAS_NUM_THREADS", "4", 1);
  std::vector<double> a(300 * 300, 1), c(300 * 300);
  multiply(Transpose::no, {300, 300, 300}, a.data(), a.data(), 0., c.data());
  EXPECT_EQ(c.front(), 300);
  EXPECT_EQ(threads_of_this_process(), before);
  EXPECT_STREQ(std::getenv("OPENBLAS_NUM_THREADS"), "4");
}

/// Repeats a product. Returns how many of its results differ from the first one.
unsigned differing_products(unsigned seed, std::latch& all_here) {
  using T = std::complex<double>;
  constexpr int kEdge = 12;
  const auto a = noise_of<T>(kEdge * kEdge, seed);
  const auto b = noise_of<T>(kEdge * kEdge, seed + 1);
  const auto product = [&] {
    std::vector<T> c(kEdge * kEdge);
    multiply(Transpose::yes, {kEdge, kEdge, kEdge}, a.data(), b.data(), T(0), c.data());
    return c;
  };
  const auto expected = product();
  all_here.arrive_and_wait();
  unsigned wrong = 0;
  for (int i = 0; i < 5000; ++i) wrong += product() == expected ? 0 : 1;
  return wrong;
}

/// Each thread has its own operands. With equal operands, threads that shared a buffer by mistake
/// would find the right contents in it.
TEST(Blas, GivesEqualBitsToSeveralThreadsAtOnce) {
  std::vector<unsigned> wrong(4);
  std::latch all_here(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { wrong[t] = differing_products(10 * t, all_here); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<unsigned>(4));
}

}  // namespace
}  // namespace toroid::fft
