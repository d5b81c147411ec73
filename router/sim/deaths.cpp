#include "router/sim/deaths.hpp"

#include <algorithm>

#include "hal/direction.hpp"
#include "router/sim/event.hpp"
#include "router/sim/network.hpp"

namespace toroid::sim {

/// A run has its own copy of the shape's failures, because plans of other runs share the original.
Deaths::Deaths(const Shape& shape, std::uint64_t error_limit)
    : shape_(shape), error_limit_(error_limit) {
  const Failures* const listed = shape.failures();
  if (error_limit == 0 && (listed == nullptr || listed->deaths().empty())) return;
  failures_ = std::make_shared<Failures>(shape.without_failures(),
                                         listed == nullptr ? FailureList() : listed->list());
  failures_->expect_change();
  shape_ = shape.with_failures(failures_);
}

Tick Deaths::due() const {
  const std::vector<Death>& listed = failures_->deaths();
  const Tick next = listed_ < listed.size() ? listed[listed_].at : kNever;
  return error_limit_ == 0 ? next : std::min(next, next_look_);
}

/// If nothing has failed, errors are checked again after the next event, because no new errors
/// occur before it.
void Deaths::happen(std::deque<Block>& blocks, Tick next) {
  const Tick at = due();
  const std::size_t before = happened_.size();
  const std::vector<Death>& listed = failures_->deaths();
  while (listed_ < listed.size() && listed[listed_].at == at) let_die(blocks, listed[listed_++]);
  if (error_limit_ == 0 || at != next_look_) return;
  look_at_links(blocks, at);
  next_look_ = ((happened_.size() > before ? at : next) / kWatchCycles + 1) * kWatchCycles;
}

/// A failure that changes nothing is ignored.
void Deaths::let_die(std::deque<Block>& blocks, const Death& death) {
  if (!failures_->is_news(death)) return;
  failures_->let_die(death);
  happened_.push_back(death);
  for (Block& block : blocks) {
    if (!death.link && block.range().has(death.node)) block.let_die(death.node);
    block.fail(death.at);
  }
}

/// A link fails in both directions when one of them has too many errors.
void Deaths::look_at_links(std::deque<Block>& blocks, Tick now) {
  for (const Block& block : blocks)
    for (Rank place = 0; place < block.range().count; ++place)
      for (std::uint8_t l = 0; l < shape_.links(); ++l)
        if (block.network().link_errors(place, {l}) > error_limit_)
          let_die(blocks, {now, block.range().first + place, Direction{l}});
}

void Deaths::add_to(FabricCounters& counters, const std::deque<Block>& blocks) const {
  for (const Death& death : happened_) counters.deaths.push_back(failures_->text(death));
  Network::Lost lost;
  for (const Block& block : blocks)
    for (const auto& [pair, packets] : block.network().lost()) lost[pair] += packets;
  for (const auto& [pair, packets] : lost)
    counters.lost.push_back({pair.first, pair.second, packets});
}

}  // namespace toroid::sim
