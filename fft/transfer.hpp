// What one node sends to another when the array changes its distribution: the intersection of what
// the one holds with what the other will hold, in an order that both ends walk alike.
#pragma once

#include <array>
#include <span>

#include "fft/decomposition.hpp"

namespace toroid {

/// Elements are numbered box by box, within a box in the order of the receiver's local memory, so
/// that what arrives together is stored together.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const NodeLayout& from, const NodeLayout& to);

  /// Elements.
  std::int64_t size() const { return size_; }
  /// The number of an element. REQUIRES: it is among them.
  std::int64_t number(const Index& at) const;
  /// The element with a number. REQUIRES: 0 <= number < size().
  Index element(std::int64_t number) const;

  /// The elements [first, first + count) as runs along the fastest axis: visit(start, length).
  template <typename Visit>
  void for_each_run(std::int64_t first, std::int64_t count, Visit&& visit) const {
    while (count > 0) {
      const Index start = element(first);
      const std::int64_t length = std::min(count, left_in_row(first));
      visit(start, length);
      first += length;
      count -= length;
    }
  }
  unsigned fastest_axis() const { return order_[2]; }

 private:
  struct Part {
    Box box;
    std::int64_t first;  ///< number of its first element
  };
  const Part& part_of(std::int64_t number) const;
  std::int64_t left_in_row(std::int64_t number) const;

  std::array<Part, 9> parts_;
  std::size_t count_ = 0;
  std::int64_t size_ = 0;
  std::array<unsigned, 3> order_{0, 1, 2};  ///< slowest axis first
};

}  // namespace toroid
