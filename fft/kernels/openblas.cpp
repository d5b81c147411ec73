#include "fft/kernels/openblas.hpp"

#include <cblas.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/shared_library.hpp"

namespace toroid::fft {
namespace {

/// What a product takes while it lasts, 128 MiB on x86-64, and some air.
constexpr std::size_t kBufferBytes = std::size_t{160} << 20;

/// Gives a variable of the environment a value and in the end the one that it had.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~EnvironmentVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Whether so much memory could be had now.
bool has_room_for(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

/// A node computes on its own worker thread: threads of OpenBLAS's own would share out the sums of
/// large products differently. It reads the variable as it is loaded, before it starts any.
SharedLibrary load_with_one_thread() {
  const EnvironmentVariable one_thread("OPENBLAS_NUM_THREADS", "1");
  const SharedLibrary library("libopenblas.so.0", "OpenBLAS for matrix products", Symbols::own);
  // The program itself may have loaded it before.
  decltype(&::openblas_set_num_threads) set_threads = nullptr;
  library.find("openblas_set_num_threads", set_threads);
  set_threads(1);
  return library;
}

bool address_space_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Has OpenBLAS take the buffer that products need, which it keeps: without memory for one it would
/// look for it for ever. Smaller products may do without.
void take_buffer(const OpenBlas& blas) {
  if (!has_room_for(kBufferBytes))
    throw RunFailed(fmt::format(
        "not enough memory for OpenBLAS, which takes {} MiB of address space (ulimit -v)",
        kBufferBytes >> 20));
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
  return parallel() == OPENBLAS_SEQUENTIAL || address_space_is_limited();
}

OpenBlas load_openblas() {
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
