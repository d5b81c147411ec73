// A numbered array that grows without moving its elements.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace toroid::sim {

/// Elements for numbers below 2^30, in segments that room() creates when needed. New elements are
/// zero; the host allocates only pages that are touched. Any thread may call anything except
/// clear() and serialize(); users must synchronise access to an element themselves.
template <typename T>
class SegmentedArray {
 public:
  static constexpr unsigned kNumberBits = 30;

  SegmentedArray() : segments_(std::size_t{1} << (kNumberBits - kSegmentBits)) {}
  SegmentedArray(const SegmentedArray&) = delete;
  ~SegmentedArray() { clear(); }

  /// REQUIRES: room() has been called for the number.
  T& operator[](std::uint32_t number) const { return begin_of(number)[number % kSegment]; }
  /// Null if there is no segment yet.
  T* find(std::uint32_t number) const {
    T* const begin = begin_of(number);
    return begin == nullptr ? nullptr : begin + number % kSegment;
  }
  /// Returns the element and creates its segment if needed. Throws std::bad_alloc.
  T& room(std::uint32_t number) {
    if (begin_of(number) == nullptr) [[unlikely]]
      add_segment(segments_[number / kSegment]);
    return (*this)[number];
  }

  /// Removes all elements. REQUIRES: no other thread calls anything.
  void clear() {
    for (auto& segment : segments_)
      if (T* const begin = segment.exchange(nullptr, std::memory_order_relaxed))
        munmap(begin, kBytes);
  }
  /// Saves or loads the elements with numbers below `end`. REQUIRES: no other thread calls
  /// anything.
  template <typename Archive>
  void serialize(Archive& archive, std::uint32_t end) {
    for (std::uint32_t first = 0; first < end; first += kSegment) {
      bool there = begin_of(first) != nullptr;
      archive(there);
      if (there) archive.plain(std::span(&room(first), std::min(kSegment, end - first)));
    }
  }

 private:
  // Zeroed memory already holds valid objects of such types.
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr unsigned kSegmentBits = 16;
  static constexpr std::uint32_t kSegment = std::uint32_t{1} << kSegmentBits;  ///< elements
  static constexpr std::size_t kBytes = kSegment * sizeof(T);

  T* begin_of(std::uint32_t number) const {
    return segments_[number / kSegment].load(std::memory_order_acquire);  // partner: the exchange
                                                                          // in add_segment()
  }
  /// Adds a segment. If another thread adds one first, that segment is used.
  [[gnu::noinline]] static void add_segment(std::atomic<T*>& segment) {
    void* const pages =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    T* none = nullptr;
    if (!segment.compare_exchange_strong(none, static_cast<T*>(pages))) munmap(pages, kBytes);
  }

  std::vector<std::atomic<T*>> segments_;
};

}  // namespace toroid::sim
