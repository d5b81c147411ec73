#include "packet/traffic/known_bounds.hpp"

#include <algorithm>

#include "packet/traffic/traffic.hpp"

namespace toroid {

Bounds KnownBounds::get(const Machine& machine, const Shape& shape, unsigned question,
                        const std::function<Bounds()>& compute) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(known_, [&](const Known& known) {
    return known.question == question && known.shape == shape && known.machine == machine;
  });
  if (found != known_.end()) return found->bounds;
  return known_.emplace_back(Known{machine, shape, question, compute()}).bounds;
}

KnownBounds& KnownBounds::of_resized(Resized resized) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<KnownBounds>& bounds = resized_[resized];
  if (!bounds) bounds = std::make_unique<KnownBounds>();
  return *bounds;
}

void Traffic::keep_bounds() {
  if (!known_bounds_) known_bounds_ = std::make_shared<KnownBounds>();
}

}  // namespace toroid
