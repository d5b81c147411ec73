#include "hal/output_queues.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/head_index.hpp"

namespace toroid {

OutputQueues::OutputQueues(unsigned in_turn, std::size_t capacity, unsigned named)
    : states_(in_turn + named),
      capacity_(static_cast<std::uint32_t>(
          std::min<std::size_t>(capacity, std::numeric_limits<std::uint32_t>::max()))),
      in_turn_(in_turn),
      full_(capacity == 0 ? in_turn : 0) {
  TOROID_CHECK_LT(0u, in_turn);
  if (count() >= kIndexedFrom) heads_ = std::make_unique<HeadIndex>(count());
}

void OutputQueues::count_stuck(DrainProfile& profile) const {
  profile.stuck_heads += waiting_;
  profile.skipped_queues += count() - waiting_;
  for (std::uint8_t d = 0; heads_ != nullptr && d < kMaxLinks; ++d)
    profile.stuck_on[d] += heads_->heads_with({d});
  if (heads_ != nullptr) return;
  for (const State& queue : states_)
    for (DirectionSet left = queue.front_hints; !left.empty(); left.remove(left.first()))
      ++profile.stuck_on[left.first().index];
}

}  // namespace toroid
