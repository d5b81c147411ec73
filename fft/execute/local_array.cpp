#include "fft/execute/local_array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace toroid::fft {
namespace {

/// Bytes of a large page. A line along a slow axis of a large array touches a page per element:
/// with small pages each would miss the TLB.
constexpr std::size_t kLargePage = std::size_t{2} << 20;

void* allocate(std::size_t bytes) {
  const bool large = bytes >= kLargePage;
  const std::size_t alignment = large ? kLargePage : LocalArray::kAlignment;
  void* data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data == nullptr) throw std::bad_alloc();
  if (large) madvise(data, bytes, MADV_HUGEPAGE);  // only a hint: without large pages it is slower
  return data;
}

}  // namespace

LocalArray::LocalArray(std::size_t elements)
    : size_(elements), data_(static_cast<Complex*>(allocate(elements * sizeof(Complex) + 1))) {}

void LocalArray::Free::operator()(Complex* data) const {
  std::free(data);
}

}  // namespace toroid::fft
