#include "fft/orbital/base.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/cost_model.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

OrbitalBase::OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes)
    : node_(&node), plan_(&plan), times_(std::size_t{plan.options().repeat} * plan.kStages) {
  TOROID_CHECK_EQ(node.size(), plan.extent() * plan.extent() * plan.extent());
  const Machine& machine = node.machine();
  two_packets_ = machine.wire_cycles(2 * machine.wire_bytes(kMaxChunks));
  make_buffers(bytes);
  for (unsigned shift = 0; shift < kCoefficients; ++shift) {
    make_shift(shift, first_handler, bytes);
    first_handler = static_cast<HandlerId>(first_handler + RingShift::kHandlers);
  }
  list_shifted();
}

std::size_t OrbitalBase::array_bytes() const {
  std::size_t elements = 0;
  for (const std::vector<LocalArray>& places : buffers_)
    for (const LocalArray& array : places) elements += array.size();
  return elements * sizeof(Complex);
}

void OrbitalBase::make_buffers(Bytes bytes) {
  const bool alone = plan_->extent() == 1;
  for (unsigned number = 0; number < buffers_.size(); ++number) {
    const std::size_t size = number == kCoefficients ? bytes.coefficients : bytes.array;
    buffers_[number].push_back(LocalArray::of_bytes(size));
    if (number > 0 && !alone) buffers_[number].push_back(LocalArray::of_bytes(size));
  }
}

void OrbitalBase::make_shift(unsigned number, HandlerId first_handler, Bytes bytes) {
  const bool coefficients = number + 1 == kCoefficients;
  const unsigned dimension =
      coefficients ? plan_->coefficients_dimension() : plan_->array_dimension(number + 1);
  const auto [to, from] = plan_->neighbours(dimension, node_->rank());
  const std::size_t size = coefficients ? bytes.coefficients : bytes.array;
  auto& pair = buffers_[number + 1];
  const auto whole = [&](LocalArray& array) { return std::span(array.as<std::byte>(), size); };
  shifts_.emplace_back(*node_, first_handler, to, from,
                       std::array{whole(pair.front()), whole(pair.back())});
}

void OrbitalBase::list_shifted() {
  for (unsigned s = 0; s < OrbitalPlan::kStages; ++s) {
    const OrbitalStage stage = plan_->stage(s);
    if (stage.pair() == 0) shifted_[s].push_back(kCoefficients - 1);
    if (stage.data > 0) shifted_[s].push_back(stage.data - 1);
    sum_is_shifted_[s] = stage.sum > 0;
    if (sum_is_shifted_[s]) shifted_[s].push_back(stage.sum - 1);
  }
}

std::span<const OrbitalTimes> OrbitalBase::times(unsigned repetition) const {
  return std::span(times_).subspan(std::size_t{repetition} * plan_->kStages, plan_->kStages);
}
OrbitalTimes& OrbitalBase::time(unsigned repetition, unsigned step) {
  return times_[std::size_t{repetition} * plan_->kStages + stage_of(step)];
}

std::uint64_t OrbitalBase::numbers(unsigned shift) const {
  if (plan_->extent() == 1) return 0;
  return plan_->block_numbers({.dimension = 0, .coefficients = shift + 1 == kCoefficients});
}

std::span<const unsigned> OrbitalBase::unchanged(unsigned step) const {
  const auto all = shifted_numbers(step);
  return all.first(all.size() - (sum_is_shifted_[stage_of(step)] ? 1 : 0));
}

void OrbitalBase::begin_step(unsigned repetition, unsigned step) {
  if (step % plan_->extent() == 0) time(repetition, step).begin = node_->now();
  for (const unsigned number : unchanged(step)) shifts_[number].start();
}

/// The first step of a stage begins a new sum.
Tick OrbitalBase::multiply(unsigned step) {
  const bool add = step % plan_->extent() != 0;
  const std::uint64_t fmas = multiply_blocks(plan_->stage(stage_of(step)), add);
  return product_cycles(node_->machine(), fmas);
}

/// While a shift is under way, the processor looks at its packets whenever the link could have
/// taken two.
Tick OrbitalBase::until_next_look(unsigned step, Tick left) const {
  for (const unsigned number : unchanged(step))
    if (!shifts_[number].done()) return std::min(left, two_packets_);
  return left;
}

void OrbitalBase::send_sum(unsigned step) {
  if (sum_is_shifted_[stage_of(step)]) shifts_[shifted_numbers(step).back()].start();
}

void OrbitalBase::end_step(unsigned repetition, unsigned step) {
  std::uint64_t sent = 0;
  for (const unsigned number : shifted_numbers(step)) {
    shifts_[number].advance();
    sent += numbers(number);
  }
  numbers_shifted_.push_back(sent);
  time(repetition, step).end = node_->now();
}

/// Ring shifts need no barrier. Repetitions are separated by one so that each begins on all nodes
/// at once, and their times say what a single transform takes.
Program orbital_transform(Node& node, OrbitalBase& transform) {
  for (unsigned repetition = 0; repetition < transform.repetitions(); ++repetition) {
    if (transform.repetitions() > 1) co_await node.barrier();
    for (unsigned step = 0; step < transform.steps(); ++step) {
      transform.begin_step(repetition, step);
      const Tick at_once = 0;  // what finds room leaves before the computation
      co_await node.compute(at_once);
      for (Tick left = transform.multiply(step); left > 0;) {
        const Tick cycles = transform.until_next_look(step, left);
        co_await node.compute(cycles);
        left -= cycles;
      }
      transform.send_sum(step);
      for (std::size_t i = 0; i < transform.shifts(step); ++i) {
        const RingShift& shift = transform.shift(step, i);
        const std::uint64_t sent = shift.sent_when_done();
        co_await node.until(shift.sent(), sent);
        const std::uint64_t arrived = shift.arrived_when_done();
        co_await node.until(shift.arrived(), arrived);
      }
      transform.end_step(repetition, step);
    }
  }
}

}  // namespace toroid::fft
