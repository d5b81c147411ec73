// The nodes that take part in an exchange: the whole machine, a plane or a line of it.
#pragma once

#include "hal/shape.hpp"

namespace toroid {

/// The nodes that have the same coordinates as `self` in all dimensions outside [first, last).
/// Because ranks are numbered in C order, their ranks form an arithmetic progression.
class Group {
 public:
  Group(const Shape& shape, unsigned first, unsigned last, Rank self) {
    for (unsigned d = first; d < last; ++d) size_ *= shape.extent(d);
    for (unsigned d = last; d < shape.dims(); ++d) stride_ *= shape.extent(d);
    self_ = self / stride_ % size_;
    base_ = self - self_ * stride_;
  }
  static Group all(const Shape& shape, Rank self) { return {shape, 0, shape.dims(), self}; }

  Rank size() const { return size_; }
  /// This node's number in the group.
  Rank self() const { return self_; }
  Rank rank(Rank member) const { return base_ + member * stride_; }
  Rank member(Rank rank) const { return (rank - base_) / stride_; }

 private:
  Rank size_ = 1;
  Rank stride_ = 1;
  Rank self_ = 0;
  Rank base_ = 0;
};

}  // namespace toroid
