#include "fft/orbital/broadcast_transform.hpp"

#include <algorithm>
#include <cstring>

#include "fft/plan/cost_model.hpp"
#include "hal/machine.hpp"

namespace toroid::fft {
namespace {

std::span<std::byte> bytes_in(LocalArray& array) {
  return {array.as<std::byte>(), array.size() * sizeof(Complex)};
}

}  // namespace

BroadcastBase::BroadcastBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler,
                             const Bytes& bytes)
    : node_(&node), plan_(&plan) {
  const Machine& machine = node.machine();
  one_packet_ = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
  const bool alone = plan.extent() == 1;
  for (unsigned i = 0; i < 4; ++i)
    blocks_.push_back(LocalArray::of_bytes(i < 2 || !alone ? bytes.array : 0));
  const std::size_t most = *std::ranges::max_element(bytes.coefficients);
  for (unsigned i = 0; i < 2; ++i)
    others_coefficients_.push_back(LocalArray::of_bytes(alone ? 0 : most));
  const auto take_handlers = [&first_handler] {
    const HandlerId taken = first_handler;
    first_handler = static_cast<HandlerId>(first_handler + 2);
    return taken;
  };
  for (unsigned stage = 0; stage < kStages; ++stage) {
    coefficients_.push_back(LocalArray::of_bytes(bytes.coefficients[stage]));
    const unsigned next = next_axis(stage);
    const RingBroadcast::Ring line = ring(next, 0);
    data_.emplace_back(node, take_handlers(), ring(axis(stage), rolls() ? line.place : 0),
                       bytes.array);
    if (rolls())
      rolled_coefficients_.emplace_back(node, take_handlers(),
                                        RingShift::Way{.to = line.down, .from = line.up},
                                        bytes.coefficients[stage]);
    else
      broadcast_coefficients_.emplace_back(node, take_handlers(), line, bytes.coefficients[stage]);
  }
}

/// A node's ring along a dimension. `first` is the place whose block comes first in a round.
RingBroadcast::Ring BroadcastBase::ring(unsigned dimension, unsigned first) const {
  const OrbitalPlan::Neighbours ends = plan_->ends(dimension, node_->rank());
  return {ends.to, ends.from, plan_->canonical(node_->rank())[dimension], plan_->extent(), first};
}

std::array<unsigned, 2> BroadcastBase::own_places(unsigned stage) const {
  const BlockIndex at = plan_->canonical(node_->rank());
  return {at[next_axis(stage)], at[axis(stage)]};
}

std::size_t BroadcastBase::array_bytes() const {
  std::size_t elements = 0;
  for (const LocalArray& block : blocks_) elements += block.size();
  for (const LocalArray& block : coefficients_) elements += block.size();
  for (const LocalArray& block : others_coefficients_) elements += block.size();
  return elements * sizeof(Complex);
}

void BroadcastBase::begin_stage(unsigned stage) {
  if (stage == 0) numbers_shifted_.clear();
  times_[stage] = {.begin = node_->now()};
  data_[stage].begin(bytes_in(blocks_[stage % 2]), {bytes_in(blocks_[2]), bytes_in(blocks_[3])});
  const std::span<std::byte> own = bytes_in(coefficients_[stage]);
  const std::span<std::byte> first = bytes_in(others_coefficients_[0]);
  if (rolls())
    rolled_coefficients_[stage].begin(own, first);
  else
    broadcast_coefficients_[stage].begin(own, {first, bytes_in(others_coefficients_[1])});
}

std::array<BroadcastBase::Need, 2> BroadcastBase::blocks_of_step(unsigned stage) const {
  const RingBroadcast& data = data_[stage];
  const Need of_data{&data.arrived(), data.current()};
  if (rolls()) {
    const RingShift& shift = rolled_coefficients_[stage];
    return {of_data, {&shift.arrived(), shift.arrived_with(shift.size())}};
  }
  const RingBroadcast& coefficients = broadcast_coefficients_[stage];
  return {of_data, {&coefficients.arrived(), coefficients.current()}};
}

const std::byte* BroadcastBase::coefficients(unsigned stage) const {
  return rolls() ? rolled_coefficients_[stage].block() : broadcast_coefficients_[stage].block();
}

/// In bcr, sends the shifted coefficients while the step computes with them; it only reads them.
void BroadcastBase::begin_step(unsigned stage) {
  if (rolls()) rolled_coefficients_[stage].release();
}

Tick BroadcastBase::multiply(unsigned stage, unsigned step) {
  numbers_shifted_.push_back(numbers_sent(stage));
  std::byte* const sum = blocks_[(stage + 1) % 2].as<std::byte>();
  const std::uint64_t fmas =
      multiply_blocks(stage, step > 0, coefficients(stage), data_[stage].block(), sum);
  return product_cycles(node_->machine(), fmas);
}

std::uint64_t BroadcastBase::numbers_sent(unsigned stage) const {
  if (plan_->extent() == 1) return 0;
  const auto edge = static_cast<std::uint64_t>(plan_->block(axis(stage)));
  const std::uint64_t ways = rolls() ? 1 : broadcast_coefficients_[stage].directions();
  return data_[stage].directions() * plan_->block_elements() + ways * edge * edge;
}

Tick BroadcastBase::until_next_look(unsigned stage, Tick left) const {
  if (!node_->has_virtual_time()) return left;
  const bool coefficients_move = rolls() ? rolled_coefficients_[stage].is_under_way()
                                         : broadcast_coefficients_[stage].is_under_way();
  return data_[stage].is_under_way() || coefficients_move ? std::min(left, one_packet_) : left;
}

void BroadcastBase::end_step(unsigned stage, unsigned step) {
  data_[stage].advance();
  if (!rolls())
    broadcast_coefficients_[stage].advance();
  else if (step + 1 == plan_->extent())
    rolled_coefficients_[stage].end();
  else
    rolled_coefficients_[stage].advance();
}

std::vector<BroadcastBase::Need> BroadcastBase::leftovers(unsigned stage) const {
  const RingBroadcast& data = data_[stage];
  std::vector<Need> needs = {{&data.finished(), data.current() - 1}};
  if (rolls()) {
    const RingShift& shift = rolled_coefficients_[stage];
    needs.push_back({&shift.arrived(), shift.arrived_with(shift.size())});
    needs.push_back({&shift.sent(), shift.sent_with_all()});
  } else {
    const RingBroadcast& coefficients = broadcast_coefficients_[stage];
    needs.push_back({&coefficients.finished(), coefficients.current() - 1});
  }
  return needs;
}

/// Copies the node's coefficients back to their own memory if they are not there. After an odd
/// number of shifts, they are in the memory for arriving blocks.
void BroadcastBase::end_stage(unsigned stage) {
  times_[stage].end = node_->now();
  if (!rolls()) return;
  const RingShift& shift = rolled_coefficients_[stage];
  if (shift.block() != own_coefficients(stage))
    std::memcpy(own_coefficients(stage), shift.block(), shift.size());
}

/// Needs no barrier. When this program ends, everything has arrived and left, so the caller may use
/// the blocks.
Program broadcast_transform(Node& node, BroadcastBase& transform) {
  for (unsigned stage = 0; stage < BroadcastBase::kStages; ++stage) {
    transform.begin_stage(stage);
    OrbitalTimes& times = transform.time(stage);
    const unsigned steps = transform.plan().extent();
    for (unsigned step = 0; step < steps; ++step) {
      const Tick before = node.now();
      const auto blocks = transform.blocks_of_step(stage);
      for (const BroadcastBase::Need& need : blocks) {
        const Counter& counter = *need.counter;
        co_await node.until(counter, need.value);
      }
      times.waiting += node.now() - before;
      transform.begin_step(stage);
      const Tick at_once = 0;  // send as many packets as fit before the computation
      co_await node.compute(at_once);
      for (Tick left = transform.multiply(stage, step); left > 0;) {
        const Tick cycles = transform.until_next_look(stage, left);
        co_await node.compute(cycles);
        times.computing += cycles;
        left -= cycles;
      }
      transform.end_step(stage, step);
    }
    const Tick before = node.now();
    const auto leftovers = transform.leftovers(stage);
    for (const BroadcastBase::Need& need : leftovers) {
      const Counter& counter = *need.counter;
      co_await node.until(counter, need.value);
    }
    times.waiting += node.now() - before;
    transform.end_stage(stage);
  }
}

namespace {

template <typename T>
std::array<std::size_t, 3> coefficient_bytes(const OrbitalPlan& plan) {
  std::array<std::size_t, 3> bytes{};
  for (unsigned stage = 0; stage < bytes.size(); ++stage)
    bytes[stage] = OrbitalProduct<T>(plan, plan.stage(stage).axis).coefficient_bytes();
  return bytes;
}

}  // namespace

template <typename T>
BroadcastTransform<T>::BroadcastTransform(Node& node, const OrbitalPlan& plan,
                                          HandlerId first_handler)
    : BroadcastBase(node, plan, first_handler,
                    {plan.checked_for(node.size(), element_type<T>()).block_elements() * sizeof(T),
                     coefficient_bytes<T>(plan)}) {
  for (unsigned stage = 0; stage < kStages; ++stage) {
    const auto [from, to] = own_places(stage);
    const unsigned axis = plan.stage(stage).axis;
    products_.emplace_back(plan, axis)
        .fill(own_coefficients(stage), plan.options().sign, plan.size()[axis], from, to);
  }
}

template <typename T>
std::uint64_t BroadcastTransform<T>::multiply_blocks(unsigned stage, bool add,
                                                     const std::byte* coefficients,
                                                     const std::byte* data, std::byte* sum) {
  OrbitalProduct<T>& product = products_[stage];
  const int planes = plan().block(0);
  product.run(coefficients, reinterpret_cast<const T*>(data), add, reinterpret_cast<T*>(sum),
              {0, planes});
  return product.fmas_of_plane() * static_cast<unsigned>(planes);
}

template class BroadcastTransform<float>;
template class BroadcastTransform<double>;
template class BroadcastTransform<std::complex<float>>;
template class BroadcastTransform<std::complex<double>>;

}  // namespace toroid::fft
