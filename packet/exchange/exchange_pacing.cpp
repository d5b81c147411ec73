// The part of an exchange that decides when its packets may leave: by its throttle, its window, its
// release times, and the times at which the engine has its descriptors.
#include <algorithm>
#include <cstdint>

#include "hal/check.hpp"
#include "hal/fill.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/endpoint.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"

namespace toroid {
namespace {

/// Cycles until a throttled processor tries again if its packets are due and find no room.
constexpr Tick kPoll = 500;

}  // namespace

/// Hands the exchange to the engine. The engine's first turn for it comes in a later cycle, because
/// only future turns can be asked for.
void Exchange::hand_over() {
  processor_->write_descriptors(fill_.visits());
  end_.node->look_at(std::max(release(), started_at_ + 1));
}

std::uint32_t Exchange::most_in_window(std::uint32_t limit) const {
  TOROID_CHECK_IN_CHECKED_BUILD(!window_is_closed());
  const std::uint32_t window = end_.plan->settings().throttle.window;
  return window == 0 ? limit : std::min(limit, window - outstanding_);
}

void Exchange::hold_back(std::uint32_t packets) {
  if (end_.plan->has_window()) outstanding_ += packets;
  const double between = end_.plan->settings().throttle.cycles_per_packet;
  if (between > 0)
    due_ = std::max(due_, static_cast<double>(end_.node->now()) - between) + between * packets;
}

Tick Exchange::look_after(Tick now) const {
  const Tick due = whole_cycles(due_, "a packet's turn (cycles_per_packet)");
  return due > now ? due : now + kPoll;
}

/// The time from which the current visit may be made. The policy must allow it, and the processor
/// must have written the descriptor of its message. The processor writes the descriptors one after
/// another, in the order of the first round.
Tick Exchange::release() const {
  const ExchangePlan& plan = *end_.plan;
  const Tick of_policy =
      plan.has_releases() ? plan.release(end_.self(), end_.node->rank(), fill_.peer()) : 0;
  if (!is_by_engine()) return started_at_ + of_policy;
  const std::uint64_t written = std::min<std::uint64_t>(fill_.visit() + 1, fill_.visits());
  return started_at_ + std::max(of_policy, written * end_.node->machine().dma_descriptor_cycles);
}

bool Exchange::is_released() {
  waits_for_release_ = end_.node->now() < release();
  return !waits_for_release_;
}

/// Time passes within a turn, so the visit's time may have come meanwhile.
NextLook Exchange::look_at_release() {
  const Tick release = this->release();
  if (release > end_.node->now()) return NextLook::at(release);
  waits_for_release_ = false;
  return NextLook::at_once();
}

NextLook Exchange::next_look() {
  if (waits_for_release_) return look_at_release();
  if (is_plain_ || !end_.plan->is_throttled()) return NextLook::never();
  const Tick now = end_.node->now();
  if (look_ > now) return NextLook::at(look_);
  look_ = look_after(now);
  return NextLook::at_once();
}

}  // namespace toroid
