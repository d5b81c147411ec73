#include "fft/kernels/openblas.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "hal/check.hpp"
#include "hal/memory_room.hpp"
#include "hal/shared_library.hpp"

namespace toroid::fft {
namespace {

/// A buffer for products, 128 MiB on x86-64, and some air.
constexpr std::size_t kBufferBytes = std::size_t{160} << 20;
/// The library itself, 40 MiB, and the buffer that builds with threads take as they are loaded.
constexpr std::size_t kLoadedBytes = kBufferBytes + (std::size_t{64} << 20);

/// Lets the calling thread run on one core only, and in the end on all of those it had: OpenBLAS
/// counts the cores of the thread that loads it. No other thread notices, as it might where the
/// environment is changed. Where cores cannot be chosen nothing happens.
class OneCore {
 public:
  OneCore() {
    if (!get(before_)) return;
    std::size_t first = 0;
    while (!CPU_ISSET_S(first, bytes(before_), before_.data())) ++first;
    Set one(before_.size());
    CPU_SET_S(first, bytes(one), one.data());
    chosen_ = ::sched_setaffinity(0, bytes(one), one.data()) == 0;
  }
  ~OneCore() {
    if (chosen_) ::sched_setaffinity(0, bytes(before_), before_.data());
  }
  OneCore(const OneCore&) = delete;

 private:
  /// One after the other: each has room for 1,024 processors.
  using Set = std::vector<cpu_set_t>;
  static std::size_t bytes(const Set& set) { return set.size() * sizeof(cpu_set_t); }
  /// The system refuses sets that are smaller than its own.
  static bool get(Set& set) {
    constexpr std::size_t kMost = 1024;
    for (std::size_t size = 1; size <= kMost; size *= 2) {
      set.assign(size, {});
      if (::sched_getaffinity(0, bytes(set), set.data()) == 0) return true;
      if (errno != EINVAL) return false;
    }
    return false;
  }

  Set before_;
  bool chosen_ = false;
};

/// Without memory for a buffer OpenBLAS would look for it for ever: builds with threads as they are
/// loaded, all of them in their first product.
void require_room(std::size_t bytes) {
  if (!has_room_for(bytes))
    throw RunFailed(fmt::format(
        "not enough memory for OpenBLAS, which takes {} MiB (ulimit -v, ulimit -d)", bytes >> 20));
}

/// A node computes on its own worker thread: threads of OpenBLAS's own would share out the sums of
/// large products differently, and spin. It starts one per core as it is loaded.
SharedLibrary load_with_one_thread() {
  const OneCore one_core;
  const SharedLibrary library("libopenblas.so.0", "OpenBLAS for matrix products", Symbols::own);
  // The program itself may have loaded it before, and other builds count otherwise.
  decltype(&::openblas_set_num_threads) set_threads = nullptr;
  library.find("openblas_set_num_threads", set_threads);
  set_threads(1);
  return library;
}

/// Has OpenBLAS take the buffer that products need, which it keeps, while there is room for it.
/// Smaller products may do without.
void take_buffer(const OpenBlas& blas) {
  require_room(kBufferBytes);
  constexpr int kEdge = 128;
  const std::vector<double> zeros(kEdge * kEdge);
  std::vector<double> product(kEdge * kEdge);
  blas.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kEdge, kEdge, kEdge, 1, zeros.data(), kEdge,
             zeros.data(), kEdge, 0, product.data(), kEdge);
}

/// Whether threads may not compute at the same time: sequential builds of OpenBLAS share buffers
/// without a lock, so that concurrent calls would spoil each other's results; and where memory is
/// limited there may be no buffers for several.
bool must_go_one_at_a_time(const SharedLibrary& library) {
  decltype(&::openblas_get_parallel) parallel = nullptr;
  library.find("openblas_get_parallel", parallel);
  return parallel() == OPENBLAS_SEQUENTIAL || memory_is_limited();
}

OpenBlas load_openblas() {
  require_room(kLoadedBytes);
  const SharedLibrary library = load_with_one_thread();
  OpenBlas blas{};
  library.find("cblas_sgemm", blas.sgemm);
  library.find("cblas_dgemm", blas.dgemm);
  library.find("cblas_cgemm", blas.cgemm);
  library.find("cblas_zgemm", blas.zgemm);
  blas.one_at_a_time = must_go_one_at_a_time(library);
  take_buffer(blas);
  return blas;
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas loaded = load_openblas();
  return loaded;
}

}  // namespace toroid::fft
