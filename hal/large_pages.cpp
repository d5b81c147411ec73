#include "hal/large_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace toroid {

void* allocate_in_large_pages(std::size_t bytes) {
  const bool large = bytes >= kLargePage;
  const std::size_t alignment = large ? kLargePage : kMemoryAlignment;
  void* const memory =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (large)
    madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint: small pages also work, but are
                                            // slower
  return memory;
}

void free_large_pages(void* memory) {
  std::free(memory);
}

}  // namespace toroid
