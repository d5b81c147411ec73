#include "hal/output_queues.hpp"

#include <algorithm>
#include <limits>

#include "hal/check.hpp"

namespace toroid {

OutputQueues::OutputQueues(unsigned in_turn, std::size_t capacity, unsigned named)
    : count_(in_turn + named),
      capacity_(static_cast<std::uint32_t>(
          std::min<std::size_t>(capacity, std::numeric_limits<std::uint32_t>::max()))),
      in_turn_(in_turn),
      full_(capacity == 0 ? in_turn : 0),
      states_(count_ > 1 ? count_ : 0) {
  TOROID_CHECK_LT(0u, in_turn);
  if (count() >= kIndexedFrom) heads_ = std::make_unique<QueueHeadLookup>(count());
}

void OutputQueues::grow() {
  pool_.push_back({SendDescriptor::none(), kNone});
  release(static_cast<std::uint32_t>(pool_.size() - 1));
}

}  // namespace toroid
