// Memory for large arrays.
#pragma once

#include <cstddef>
#include <vector>

namespace toroid {

/// Bytes of a cache line, and of the longest vector registers.
inline constexpr std::size_t kMemoryAlignment = 64;
/// Bytes of a large page. Scattered accesses to a large array in small pages cause TLB misses;
/// large pages need fewer translations.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Memory aligned to kMemoryAlignment. It is in large pages if it has at least kLargePage bytes and
/// the host provides such pages. It is not initialised, so each page lands on the NUMA node of the
/// thread that touches it first. Throws std::bad_alloc.
void* allocate_in_large_pages(std::size_t bytes);
void free_large_pages(void* memory);

/// A standard allocator that calls allocate_in_large_pages().
template <typename T>
struct LargePages {
  static_assert(alignof(T) <= kMemoryAlignment);
  using value_type = T;
  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_in_large_pages(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t /*count*/) { free_large_pages(memory); }
  template <typename U>
  bool operator==(const LargePages<U>& /*other*/) const {
    return true;
  }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace toroid
