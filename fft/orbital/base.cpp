#include "fft/orbital/base.hpp"

#include <algorithm>
#include <cstring>

#include "fft/plan/cost_model.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/machine.hpp"
#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"

namespace toroid::fft {
namespace {

/// Maximum number of slices of a sum that travels in packets. A sum of few planes or few packets
/// has fewer slices. With more slices a step waits less before it can begin, but each slice costs a
/// matrix product and a descriptor. If blocks do not travel in packets, there is a single slice:
/// along axis 0 the BLAS reads all data again for each slice, and eight slices take 1.7 times as
/// long as one (b = 64).
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
      by_pointers_(shares_memory(node)),
      slices_(plan.extent() == 1 || by_pointers_ ? 1 : slices_of(plan.block(0), bytes.array)),
      own_coefficients_(LocalArray::of_bytes(bytes.coefficients)) {
  const Machine& machine = node.machine();
  one_packet_ = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
  make_blocks(bytes);
  for (unsigned shift = 0; shift <= kCoefficients; ++shift) {
    make_shift(shift, first_handler, bytes);
    first_handler = static_cast<HandlerId>(first_handler + RingShift::kHandlers);
  }
  list_shifts();
}

std::size_t OrbitalBase::array_bytes() const {
  std::size_t elements = own_coefficients_.size();
  for (const LocalArray& block : blocks_) elements += block.size();
  return elements * sizeof(Complex);
}

/// Whether blocks are passed as pointers. The answer is the same on all nodes. It is yes if one
/// process has all nodes and TransferMode is not `packets`; otherwise packets carry the blocks.
bool OrbitalBase::shares_memory(const Node& node) {
  const TransferMode transfer = node.options().transfer;
  if (node.size() == 1 || transfer == TransferMode::packets) return false;
  for (Rank other = 0; other < node.size(); ++other) {
    const PutReach reach = node.put_reach(other);
    if (other == node.rank() || reach == PutReach::shared) continue;
    if (transfer == TransferMode::put && reach == PutReach::packed)
      throw BadInput(
          "put cannot move the orbital transform's blocks between processes; use transfer auto");
    return false;
  }
  return true;
}

/// Memory for an arriving block has room for a block of an array or of coefficients.
void OrbitalBase::make_blocks(Bytes bytes) {
  const bool in_pairs = plan_->extent() > 1 && !by_pointers_;
  const std::size_t arriving = std::max(bytes.array, bytes.coefficients);
  for (unsigned parity = 0; parity < 2; ++parity) {
    blocks_.push_back(LocalArray::of_bytes(bytes.array));
    if (in_pairs) blocks_.push_back(LocalArray::of_bytes(arriving));
  }
}

std::span<std::byte> OrbitalBase::blocks(unsigned stage, bool arriving) {
  const bool in_pairs = blocks_.size() == 4;
  if (arriving && !in_pairs) return {};
  LocalArray& block = blocks_[in_pairs ? 2 * (stage % 2) + (arriving ? 1 : 0) : stage % 2];
  return {block.as<std::byte>(), block.size() * sizeof(Complex)};
}

void OrbitalBase::make_shift(unsigned number, HandlerId first_handler, Bytes bytes) {
  const bool coefficients = number == kCoefficients;
  const unsigned dimension =
      coefficients ? plan_->coefficients_dimension() : plan_->array_dimension(number + 1);
  const auto [to, from] = plan_->neighbours(dimension, node_->rank());
  // No stage shifts two blocks in the same queue.
  const unsigned queue = 1 + number % 2;
  const auto carrier = by_pointers_ ? RingShift::Carrier::pointer : RingShift::Carrier::packets;
  shifts_.emplace_back(*node_, first_handler, RingShift::Way{to, from, queue, carrier},
                       coefficients ? bytes.coefficients : bytes.array);
}

void OrbitalBase::list_shifts() {
  for (unsigned s = 0; s < OrbitalPlan::kStages; ++s) {
    const OrbitalStage stage = plan_->stage(s);
    if (stage.pair() == 0) reads_[s].push_back(&shifts_[kCoefficients]);
    if (stage.data > 0) reads_[s].push_back(&shifts_[stage.data - 1]);
    if (stage.sum > 0) sums_[s] = &shifts_[stage.sum - 1];
    ended_[s] = reads_[s];
    if (plan_->extent() == 1) continue;
    for (const OrbitalPlan::MovedBlock& shifted : plan_->moved_blocks(s))
      numbers_[s] += plan_->block_numbers(shifted);
  }
  if (sums_.back() != nullptr) ended_.back().push_back(sums_.back());
}

/// Begins X`number`, which is the data of stage `stage` and the sum of the stage before it: sets
/// its memory and, except for X0, begins its shift.
void OrbitalBase::begin(unsigned number, unsigned stage) {
  if (number == 0)
    static_x0_ = own(stage).data();
  else
    shifts_[number - 1].begin(own(stage), next(stage));
}

bool OrbitalBase::has_ended(unsigned stage) const {
  return std::ranges::all_of(ended_[stage], [](const RingShift* shift) {
    return has_arrived(*shift) && shift->sent().value() == shift->sent_with_all();
  });
}

/// The coefficients' next block arrives in the memory for X0's next block, which X0 does not need
/// because it stays at its node.
void OrbitalBase::begin_stage(unsigned step) {
  const unsigned stage = stage_of(step);
  const OrbitalStage arrays = plan_->stage(stage);
  TOROID_CHECK(stage == 0 || has_ended(stage - 1));
  times_[stage].begin = node_->now();
  if (stage == 0) {
    numbers_shifted_.clear();
    begin(arrays.data, 0);
  } else if (plan_->stage(stage - 1).pair() == 0) {
    bring_coefficients_home();
  }
  begin(arrays.sum, stage + 1);
  if (arrays.pair() == 0)
    shifts_[kCoefficients].begin({own_coefficients(), own_coefficients_.size() * sizeof(Complex)},
                                 next(arrays.data == 0 ? stage : stage + 1));
}

/// Copies the node's coefficients back to their own memory if they are not there. After an odd
/// number of steps, they are in the memory for arriving blocks.
void OrbitalBase::bring_coefficients_home() {
  const RingShift& shift = shifts_[kCoefficients];
  if (shift.block() != own_coefficients())
    std::memcpy(own_coefficients(), shift.block(), shift.size());
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

/// Forward works on the sum of the previous stage, backward on the data of the next stage.
Tick OrbitalBase::transform_block(unsigned next_stage) {
  const bool forward = plan_->options().sign == Sign::forward;
  if (forward ? next_stage == 0 : next_stage == OrbitalPlan::kStages) return 0;
  const OrbitalStage stage = plan_->stage(forward ? next_stage - 1 : next_stage);
  const unsigned block = forward ? stage.sum : stage.data;
  TOROID_CHECK(block == 0 || has_arrived(shifts_[block - 1]));
  return transform_lines(stage.pair());
}

/// Between the two stages, the node waited for the sum of the previous stage, but the waits were
/// counted for the next stage. This moves them to the previous stage.
void OrbitalBase::pass_to(unsigned next_stage) {
  if (next_stage == 0) return;
  OrbitalTimes& last = times_[next_stage - 1];
  OrbitalTimes& next = times_[next_stage];
  last.waiting += next.waiting;
  next.waiting = 0;
  last.end = next.begin = node_->now();
}

/// If blocks are passed as pointers, a block may be overwritten as soon as the next node has read
/// it. So the block is sent only at the end of the step, when this node has read it too.
void OrbitalBase::begin_step(unsigned step) {
  for (const RingShift* const shift : reads(step)) TOROID_CHECK(has_arrived(*shift));
  if (carrier() == RingShift::Carrier::packets)
    for (RingShift* const shift : reads(step)) shift->release();
}

const RingShift* OrbitalBase::comes_by(unsigned step) const {
  return begins_stage(step) ? nullptr : sum(step);
}

/// The first step of a stage begins a new sum. The cycles of the slices add up to those of the
/// product.
Tick OrbitalBase::multiply(unsigned step, unsigned slice) {
  const bool add = !begins_stage(step);
  const OrbitalSlice planes = this->planes(slice);
  const std::uint64_t fmas = multiply_blocks(plan_->stage(stage_of(step)), add, planes);
  const auto cycles_to = [&](int plane) {
    return product_cycles(node_->machine(), fmas * static_cast<unsigned>(plane));
  };
  return cycles_to(planes.last) - cycles_to(planes.first);
}

bool OrbitalBase::is_under_way() const {
  return std::ranges::any_of(shifts_, &RingShift::is_under_way);
}

void OrbitalBase::send_slice(unsigned step, unsigned slice) {
  if (RingShift* const shift = sum(step)) shift->release(bytes_to(slice));
}

void OrbitalBase::end_step(unsigned step) {
  const bool ends_stage = begins_stage(step + 1);
  for (RingShift* const shift : reads(step)) {
    shift->release();
    ends_stage ? shift->end() : shift->advance();
  }
  if (RingShift* const shift = sum(step))
    ends_stage&& stage_of(step) + 1 == OrbitalPlan::kStages ? shift->end() : shift->advance();
  numbers_shifted_.push_back(numbers_[stage_of(step)]);
}

void OrbitalBase::end_run() {
  TOROID_CHECK(has_ended(OrbitalPlan::kStages - 1));
  if (plan_->stage(OrbitalPlan::kStages - 1).pair() == 0) bring_coefficients_home();
}

namespace {

/// The cycles, at most `left`, that the processor should compute before it handles its packets.
/// While a shift is under way, this is the time that a link takes for a full packet. In real time
/// the result is `left`, because the product has already been computed.
Tick until_next_look(const Node& node, OrbitalLanes lanes, Tick left) {
  const bool looks =
      node.has_virtual_time() && std::ranges::any_of(lanes, &OrbitalBase::is_under_way);
  return looks ? std::min(left, lanes.front()->one_packet()) : left;
}

/// Waits until all blocks of the shifts that end with the stage have arrived and left.
Program await_blocks(Node& node, OrbitalBase& lane, unsigned stage) {
  for (const RingShift* const shift : lane.ended_with(stage)) {
    const std::uint64_t arrived = shift->arrived_with(shift->size());
    co_await node.until(shift->arrived(), arrived);
    const std::uint64_t sent = shift->sent_with_all();
    co_await node.until(shift->sent(), sent);
  }
}

/// Spends the cycles and handles packets meanwhile.
Program spend(Node& node, OrbitalLanes lanes, OrbitalTimes& times, Tick left) {
  while (left > 0) {
    const Tick cycles = until_next_look(node, lanes, left);
    co_await node.compute(cycles);
    times.computing += cycles;
    left -= cycles;
  }
}

/// Runs between two stages, when the first stage's sum has come home. This sum is the second
/// stage's data.
Program pass_between(Node& node, OrbitalLanes lanes, OrbitalBase& lane, unsigned next_stage) {
  const bool forward = lane.plan().options().sign == Sign::forward;
  if (!forward) lane.pass_to(next_stage);
  const Tick cycles = lane.transform_block(next_stage);
  OrbitalTimes& times = lane.time_of(forward && next_stage > 0 ? next_stage - 1 : next_stage);
  Program lines = spend(node, lanes, times, cycles);
  co_await node.perform(lines);
  if (forward) lane.pass_to(next_stage);
}

/// Computes and sends a step's product slice by slice, each as soon as this slice of the sum has
/// arrived.
Program run_step(Node& node, OrbitalLanes lanes, OrbitalBase& lane, unsigned step) {
  OrbitalTimes& times = lane.time(step);
  for (unsigned slice = 0; slice < lane.slices(); ++slice) {
    if (const RingShift* const shift = lane.comes_by(step)) {
      const Tick before = node.now();
      const std::uint64_t arrived = shift->arrived_with(lane.bytes_to(slice));
      co_await node.until(shift->arrived(), arrived);
      times.waiting += node.now() - before;
    }
    const Tick at_once = 0;  // send as many packets as fit before the computation
    co_await node.compute(at_once);
    const Tick cycles = lane.multiply(step, slice);
    Program product = spend(node, lanes, times, cycles);
    co_await node.perform(product);
    lane.send_slice(step, slice);
  }
}

}  // namespace

/// Ring shifts need no barrier. When this program ends, everything has arrived and left, so the
/// caller may use the blocks.
Program orbital_transforms(Node& node, OrbitalLanes lanes) {
  const unsigned steps = lanes.front()->steps();
  for (unsigned step = 0; step < steps; ++step) {
    for (OrbitalBase* const lane : lanes) {
      OrbitalTimes& times = lane->time(step);
      if (lane->begins_stage(step)) {
        const Tick before = node.now();
        if (step > 0) {
          Program blocks = await_blocks(node, *lane, lane->stage_of(step) - 1);
          co_await node.perform(blocks);
        }
        times = {.waiting = node.now() - before};
        lane->begin_stage(step);
      }
      const Tick before = node.now();
      for (RingShift* const shift : lane->reads(step)) {
        const std::uint64_t arrived = shift->arrived_with(shift->size());
        co_await node.until(shift->arrived(), arrived);
      }
      times.waiting += node.now() - before;
      if (lane->begins_stage(step)) {
        Program between = pass_between(node, lanes, *lane, lane->stage_of(step));
        co_await node.perform(between);
      }
      lane->begin_step(step);
      Program product = run_step(node, lanes, *lane, step);
      co_await node.perform(product);
      lane->end_step(step);
    }
  }
  for (OrbitalBase* const lane : lanes) {
    OrbitalTimes& times = lane->time(steps - 1);
    const Tick before = node.now();
    Program blocks = await_blocks(node, *lane, OrbitalPlan::kStages - 1);
    co_await node.perform(blocks);
    times.waiting += node.now() - before;
    const Tick cycles = lane->transform_block(OrbitalPlan::kStages);
    Program lines = spend(node, lanes, times, cycles);
    co_await node.perform(lines);
    times.end = node.now();
    lane->end_run();
  }
}

Program orbital_transform(Node& node, OrbitalBase& transform) {
  OrbitalBase* const lane = &transform;
  const OrbitalLanes alone(&lane, 1);
  Program transforms = orbital_transforms(node, alone);
  co_await node.perform(transforms);
}

}  // namespace toroid::fft
