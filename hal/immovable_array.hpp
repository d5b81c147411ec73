// An array whose elements never move.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "hal/check.hpp"
#include "hal/large_pages.hpp"

namespace toroid {

/// An array, for example with one element per node. Its elements are constructed one by one and
/// never move, so others may refer to them, and their type need not be movable. All elements share
/// one allocation. Its unused part is never touched and therefore takes no memory.
template <typename T>
class ImmovableArray {
 public:
  /// Makes an empty array that can hold `capacity` elements. Throws std::bad_alloc.
  explicit ImmovableArray(std::size_t capacity)
      : elements_(capacity == 0 ? nullptr : LargePages<T>().allocate(capacity)),
        capacity_(capacity) {}
  ImmovableArray(const ImmovableArray&) = delete;
  ~ImmovableArray() {
    std::destroy(begin(), end());
    free_large_pages(elements_);
  }

  /// REQUIRES: size() is less than the capacity.
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    TOROID_CHECK_LT(size_, capacity_);
    T* const made = std::construct_at(end(), std::forward<Arguments>(arguments)...);
    ++size_;
    return *made;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return elements_; }
  T* end() { return elements_ + size_; }
  const T* begin() const { return elements_; }
  const T* end() const { return elements_ + size_; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }
  /// REQUIRES: not empty.
  T& front() { return elements_[0]; }
  const T& front() const { return elements_[0]; }

 private:
  T* elements_;  ///< the first size_ are constructed
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace toroid
