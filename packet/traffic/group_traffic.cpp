#include "packet/traffic/group_traffic.hpp"

#include <utility>

#include "hal/check.hpp"

namespace toroid {

GroupTraffic::GroupTraffic(std::string name, const Shape& shape, unsigned inside,
                           std::uint64_t bytes)
    : name_(std::move(name)), shape_(shape), inside_(inside), bytes_(bytes) {
  Rank stride = shape.size();
  for (unsigned d = 0; d < shape.dims(); ++d) {
    stride /= shape.extent(d);
    if ((inside >> d & 1u) == 0) continue;
    axes_.push_back({shape.extent(d), stride});
    members_ *= shape.extent(d);
  }
}

Rank GroupTraffic::first_of(Rank node) const {
  Rank first = node;
  for (const Axis& axis : axes_) first -= node / axis.stride % axis.extent * axis.stride;
  return first;
}

Rank GroupTraffic::member(Rank first, Rank number) const {
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    first += number % axis->extent * axis->stride;
    number /= axis->extent;
  }
  return first;
}

std::uint64_t GroupTraffic::bytes(Rank from, Rank to) const {
  if (from == to) return 0;
  return is_uniform_all_to_all() || first_of(from) == first_of(to) ? bytes_ : 0;
}

std::vector<Rank> GroupTraffic::targets(Rank from) const {
  std::vector<Rank> targets;
  if (bytes_ == 0) return targets;
  targets.reserve(members_ - 1);
  const Rank first = first_of(from);
  for (Rank n = 0; n < members_; ++n)
    if (const Rank peer = member(first, n); peer != from) targets.push_back(peer);
  return targets;
}

Rank GroupTraffic::draw(Rank from, Random& random) const {
  TOROID_CHECK_LT(1u, members_);
  const Rank first = first_of(from);
  const Rank peer = member(first, random.below(members_ - 1));
  return peer == from ? member(first, members_ - 1) : peer;
}

}  // namespace toroid
