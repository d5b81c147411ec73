// Memory for large arrays.
#pragma once

#include <cstddef>
#include <vector>

namespace toroid {

/// Bytes of a cache line, and of the longest vectors.
inline constexpr std::size_t kMemoryAlignment = 64;
/// Bytes of a large page, of which fewer are translated: who touches a large array here and there
/// with small pages waits for the TLB.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Memory aligned to kMemoryAlignment, in large pages where it is large and the
/// host gives them. It is not initialised: the thread that touches a page first has it near. Throws
/// std::bad_alloc.
void* allocate_in_large_pages(std::size_t bytes);
void free_large_pages(void* memory);

/// The same as a standard allocator.
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
