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
namespace {

/// A sum is cut into as many slices as its planes and packets allow, up to these: each of them is a
/// matrix product and a descriptor, and what a stage waits for at first.
constexpr std::size_t kMostSlices = 8;
constexpr std::size_t kLeastPackets = 4;

unsigned slices_of(int planes, std::size_t bytes) {
  const std::size_t most = std::min(kMostSlices, static_cast<std::size_t>(planes));
  const std::size_t fitting = bytes / (kLeastPackets * kPayloadBytes);
  return static_cast<unsigned>(std::clamp<std::size_t>(fitting, 1, most));
}

}  // namespace

OrbitalBase::OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes)
    : node_(&node),
      plan_(&plan),
      block_bytes_(bytes.array),
      slices_(slices_of(plan.block(0), bytes.array)),
      times_(std::size_t{plan.options().repeat} * plan.kStages) {
  TOROID_CHECK_EQ(node.size(), plan.extent() * plan.extent() * plan.extent());
  const Machine& machine = node.machine();
  one_packet_ = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
  make_buffers(bytes);
  for (unsigned shift = 0; shift < kCoefficients; ++shift) {
    make_shift(shift, first_handler, bytes);
    first_handler = static_cast<HandlerId>(first_handler + RingShift::kHandlers);
  }
  list_shifts();
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
  // No stage shifts two blocks of equal queues.
  const unsigned queue = 1 + number % 2;
  shifts_.emplace_back(*node_, first_handler, RingShift::Way{to, from, queue},
                       std::array{whole(pair.front()), whole(pair.back())});
}

void OrbitalBase::list_shifts() {
  for (unsigned s = 0; s < OrbitalPlan::kStages; ++s) {
    const OrbitalStage stage = plan_->stage(s);
    if (stage.pair() == 0) reads_[s].push_back(&shifts_[kCoefficients - 1]);
    if (stage.data > 0) reads_[s].push_back(&shifts_[stage.data - 1]);
    if (stage.sum > 0) sums_[s] = &shifts_[stage.sum - 1];
    if (plan_->extent() == 1) continue;
    for (const OrbitalPlan::ShiftedBlock& shifted : plan_->shifted_blocks(s))
      numbers_[s] += plan_->block_numbers(shifted);
  }
}

std::span<const OrbitalTimes> OrbitalBase::times(unsigned repetition) const {
  return std::span(times_).subspan(std::size_t{repetition} * plan_->kStages, plan_->kStages);
}

OrbitalTimes& OrbitalBase::time(unsigned repetition, unsigned step) {
  OrbitalTimes& times = times_[std::size_t{repetition} * plan_->kStages + stage_of(step)];
  if (step % plan_->extent() == 0) times = {.begin = node_->now()};
  return times;
}

OrbitalSlice OrbitalBase::planes(unsigned slice) const {
  const auto begin = [this](unsigned s) {
    return static_cast<int>(std::int64_t{plan_->block(0)} * s / slices_);
  };
  return {begin(slice), begin(slice + 1)};
}

std::size_t OrbitalBase::bytes_to(unsigned slice) const {
  const std::size_t plane = block_bytes_ / static_cast<std::size_t>(plan_->block(0));
  return static_cast<std::size_t>(planes(slice).last) * plane;
}

void OrbitalBase::begin_step(unsigned step) {
  for (RingShift* const shift : reads(step)) shift->release();
}

const RingShift* OrbitalBase::comes_by(unsigned step) const {
  return step % plan_->extent() == 0 ? nullptr : sum(step);
}

/// The first step of a stage begins a new sum. The slices' cycles add up to those of the product.
Tick OrbitalBase::multiply(unsigned step, unsigned slice) {
  const bool add = step % plan_->extent() != 0;
  const OrbitalSlice planes = this->planes(slice);
  const std::uint64_t fmas = multiply_blocks(plan_->stage(stage_of(step)), add, planes);
  const auto cycles_to = [&](int plane) {
    return product_cycles(node_->machine(), fmas * static_cast<unsigned>(plane));
  };
  return cycles_to(planes.last) - cycles_to(planes.first);
}

/// While a shift is under way, the processor looks at its packets whenever the link could have
/// taken one.
Tick OrbitalBase::until_next_look(unsigned step, Tick left) const {
  const auto is_under_way = [](const RingShift* shift) {
    return shift != nullptr && shift->is_under_way();
  };
  const bool look = std::ranges::any_of(reads(step), is_under_way) || is_under_way(sum(step));
  return look ? std::min(left, one_packet_) : left;
}

void OrbitalBase::send_slice(unsigned step, unsigned slice) {
  if (RingShift* const shift = sum(step)) shift->release(bytes_to(slice));
}

void OrbitalBase::end_step(unsigned step) {
  for (RingShift* const shift : reads(step)) shift->advance();
  if (RingShift* const shift = sum(step)) shift->advance();
  numbers_shifted_.push_back(numbers_[stage_of(step)]);
}

/// Ring shifts need no barrier. Repetitions are separated by one so that each begins on all nodes
/// at once, and their times say what a single transform takes. When it ends, everything has arrived
/// and left: the buffers are the caller's.
Program orbital_transform(Node& node, OrbitalBase& transform) {
  for (unsigned repetition = 0; repetition < transform.repetitions(); ++repetition) {
    if (transform.repetitions() > 1) co_await node.barrier();
    for (unsigned step = 0; step < transform.steps(); ++step) {
      OrbitalTimes& times = transform.time(repetition, step);
      for (RingShift* const shift : transform.reads(step)) {
        const Tick before = node.now();
        const std::uint64_t arrived = shift->arrived_with(shift->size());
        co_await node.until(shift->arrived(), arrived);
        times.waiting += node.now() - before;
      }
      transform.begin_step(step);
      for (unsigned slice = 0; slice < transform.slices(); ++slice) {
        if (const RingShift* const shift = transform.comes_by(step)) {
          const Tick before = node.now();
          const std::uint64_t arrived = shift->arrived_with(transform.bytes_to(slice));
          co_await node.until(shift->arrived(), arrived);
          times.waiting += node.now() - before;
        }
        const Tick at_once = 0;  // what finds room leaves before the computation
        co_await node.compute(at_once);
        for (Tick left = transform.multiply(step, slice); left > 0;) {
          const Tick cycles = transform.until_next_look(step, left);
          co_await node.compute(cycles);
          times.computing += cycles;
          left -= cycles;
        }
        transform.send_slice(step, slice);
      }
      transform.end_step(step);
      times.end = node.now();
    }
    for (const RingShift& shift : transform.shifts()) {
      const std::uint64_t arrived = shift.arrived_with(shift.size());
      co_await node.until(shift.arrived(), arrived);
      const std::uint64_t sent = shift.sent_with_all();
      co_await node.until(shift.sent(), sent);
    }
  }
}

}  // namespace toroid::fft
