#include "fft/transfer.hpp"

#include "hal/check.hpp"

namespace toroid {

Transfer::Transfer(const NodeLayout& from, const NodeLayout& to) : order_(to.axis_order()) {
  for (const Box& target : to.boxes())
    for (const Box& source : from.boxes()) {
      const Box both = intersect(source, target);
      if (both.volume() == 0) continue;
      parts_[count_++] = {both, size_};
      size_ += both.volume();
    }
}

const Transfer::Part& Transfer::part_of(std::int64_t number) const {
  std::size_t p = count_ - 1;
  while (parts_[p].first > number) --p;
  return parts_[p];
}

std::int64_t Transfer::number(const Index& at) const {
  std::size_t p = 0;
  while (!parts_[p].box.contains(at)) CHECK_LT(++p, count_);
  const Box& box = parts_[p].box;
  std::int64_t number = 0;
  for (const unsigned axis : order_) number = number * box.length(axis) + at[axis] - box.lo[axis];
  return parts_[p].first + number;
}

Index Transfer::element(std::int64_t number) const {
  const Part& part = part_of(number);
  std::int64_t left = number - part.first;
  Index at{};
  for (unsigned i = 3; i-- > 0;) {
    const unsigned axis = order_[i];
    at[axis] = part.box.lo[axis] + left % part.box.length(axis);
    left /= part.box.length(axis);
  }
  return at;
}

std::int64_t Transfer::left_in_row(std::int64_t number) const {
  const Part& part = part_of(number);
  const std::int64_t row = part.box.length(order_[2]);
  return row - (number - part.first) % row;
}

}  // namespace toroid
