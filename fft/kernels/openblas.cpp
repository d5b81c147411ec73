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

/// Memory for a product's buffer, which is 128 MiB on x86-64, with some reserve.
constexpr std::size_t kBufferBytes = std::size_t{160} << 20;
/// Memory for the library itself, 40 MiB, and for the buffer that threaded builds allocate on
/// loading.
constexpr std::size_t kLoadedBytes = kBufferBytes + (std::size_t{64} << 20);

/// While it lives, restricts the calling thread to one core; afterwards the thread may use all its
/// cores again. OpenBLAS counts the cores of the thread that loads it, and so starts no other
/// threads. An environment variable could also limit OpenBLAS's threads, but a change of the
/// environment might affect other threads of the process. Does nothing if the system does not let a
/// thread choose its cores.
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
  /// A set of processors, stored in consecutive cpu_set_t for 1,024 processors each.
  using Set = std::vector<cpu_set_t>;
  static std::size_t bytes(const Set& set) { return set.size() * sizeof(cpu_set_t); }
  /// The system refuses sets smaller than its own, so larger ones are tried.
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

/// Throws RunFailed unless `bytes` bytes of memory are available. Without memory for its buffer,
/// OpenBLAS would try to allocate it for ever: threaded builds while they are loaded, all builds in
/// their first product.
void require_room(std::size_t bytes) {
  if (!has_room_for(bytes))
    throw RunFailed(fmt::format(
        "not enough memory for OpenBLAS, which takes {} MiB (ulimit -v, ulimit -d)", bytes >> 20));
}

/// Loads OpenBLAS with one thread, because a node computes on its own worker thread. Otherwise
/// OpenBLAS would start a thread per core when it is loaded. These threads would spin, and would
/// add up large products in another order.
SharedLibrary load_with_one_thread() {
  const OneCore one_core;
  const SharedLibrary library("libopenblas.so.0", "OpenBLAS for matrix products", Symbols::own);
  // The number of threads is also set here, because the program itself may have loaded OpenBLAS
  // before, and other builds count cores differently.
  decltype(&::openblas_set_num_threads) set_threads = nullptr;
  library.find("openblas_set_num_threads", set_threads);
  set_threads(1);
  return library;
}

/// Makes OpenBLAS allocate the buffer for products now, while there is room for it. OpenBLAS keeps
/// the buffer. The product that is computed here is large enough to need the buffer; a smaller one
/// might not need it.
void take_buffer(const OpenBlas& blas) {
  require_room(kBufferBytes);
  constexpr int kEdge = 128;
  const std::vector<double> zeros(kEdge * kEdge);
  std::vector<double> product(kEdge * kEdge);
  blas.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kEdge, kEdge, kEdge, 1, zeros.data(), kEdge,
             zeros.data(), kEdge, 0, product.data(), kEdge);
}

/// Whether products must be computed one at a time. Sequential builds of OpenBLAS share buffers
/// without a lock, so concurrent calls would spoil each other's results. And if memory is limited,
/// there may be no room for several buffers.
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
