#include "fft/volumetric_fft.hpp"

namespace toroid {

VolumetricFft::VolumetricFft(Node& node, const VolumetricPlan& plan)
    : node_(&node), plan_(&plan), times_(plan.phases().size() * plan.options().repeat) {
  arrays_.emplace_back(static_cast<std::size_t>(input_layout().extent()));
  for (const VolumetricPhase& phase : plan.phases()) {
    const bool local = !phase.exchange && plan.phases().size() > 1;  // by_planes() makes its array
    const NodeLayout result = layout(phase.distribution);
    arrays_.emplace_back(local ? 0 : static_cast<std::size_t>(result.extent()));
  }
  for (std::size_t p = 0; p < plan.phases().size(); ++p) steps_.push_back(step(p));
}

VolumetricFft::Step VolumetricFft::step(std::size_t phase) {
  const VolumetricPhase& what = plan_->phases()[phase];
  const NodeLayout layout = this->layout(what.distribution);
  Step step{
      nullptr, nullptr, plan_->transform(what, layout),
      transform_cycles(node_->machine(), layout.size(), plan_->decomposition().size(), what.axes)};
  if (!what.exchange) return step;
  step.redistribution = redistribution(phase);
  step.exchange = std::make_unique<AllToAll>(*node_, static_cast<HandlerId>(kFirstHandler + phase),
                                             step.redistribution->group(), *step.redistribution,
                                             AllToAllSchedule{plan_->options().packets_per_visit});
  return step;
}

std::unique_ptr<Redistribution> VolumetricFft::redistribution(std::size_t phase) {
  if (phase == 1 && !plan_->phases()[0].exchange) {
    auto pieces = plan_->by_planes() ? by_planes() : nullptr;
    return pieces != nullptr ? std::move(pieces) : from_local_result();
  }
  return std::make_unique<Redistribution>(plan_->decomposition(), *plan_->phases()[phase].exchange,
                                          node_->rank(), arrays_[phase], arrays_[phase + 1]);
}

std::unique_ptr<Redistribution> VolumetricFft::by_planes() {
  const NodeLayout plane = plan_->local_result(input_layout()).one_plane();
  const auto extent = static_cast<std::size_t>(plane.extent());
  arrays_[1] = LocalArray(2 * extent);
  auto pieces = std::make_unique<Redistribution>(
      plan_->decomposition(), *plan_->phases()[1].exchange, node_->rank(), plane,
      std::span<const Complex>(arrays_[1].data(), extent), arrays_[2]);
  if (!pieces->cut_by_planes()) return nullptr;
  planes_ = static_cast<std::uint32_t>(plane.boxes()[0].length(0));
  return pieces;
}

std::unique_ptr<Redistribution> VolumetricFft::from_local_result() {
  const NodeLayout result = plan_->local_result(input_layout());
  arrays_[1] = LocalArray(static_cast<std::size_t>(result.extent()));
  return std::make_unique<Redistribution>(plan_->decomposition(), *plan_->phases()[1].exchange,
                                          node_->rank(), result, arrays_[1], arrays_[2]);
}

NodeLayout VolumetricFft::layout(Distribution distribution) const {
  const Decomposition& decomposition = plan_->decomposition();
  return decomposition.layout(distribution, decomposition.grid().coord(node_->rank()));
}

NodeLayout VolumetricFft::input_layout() const {
  return layout(Distribution::blocks);
}
NodeLayout VolumetricFft::output_layout() const {
  return layout(plan_->output_distribution());
}

std::span<const PhaseTimes> VolumetricFft::times(unsigned repetition) const {
  return std::span(times_).subspan(repetition * phases(), phases());
}
PhaseTimes& VolumetricFft::time(unsigned repetition, std::size_t phase) {
  return times_[repetition * phases() + phase];
}

std::uint64_t VolumetricFft::expected(unsigned repetition, std::size_t phase) const {
  return (std::uint64_t{repetition} + 1) * steps_[phase].exchange->expected();
}

void VolumetricFft::begin_phase(unsigned repetition, std::size_t phase) {
  if (phase == 1 && planes_ > 0) return;  // it began with its first plane
  time(repetition, phase).begin = node_->now();
  const Step& step = steps_[phase];
  if (step.exchange == nullptr) return;
  step.redistribution->copy_own();
  step.exchange->start();
}

Tick VolumetricFft::transform(unsigned repetition, std::size_t phase) {
  time(repetition, phase).exchanged = node_->now();
  const Step& step = steps_[phase];
  if (step.transform == nullptr) return 0;
  Complex* const result = arrays_[phase + 1].data();
  if (step.exchange != nullptr)
    step.transform->run(result, result);
  else if (plan_->by_planes())
    transform_all_planes();
  else
    step.transform->run(arrays_[phase].data(), result);
  return step.cycles;
}

void VolumetricFft::end_phase(unsigned repetition, std::size_t phase) {
  time(repetition, phase).computed = node_->now();
}

const Complex* VolumetricFft::input_plane(std::uint32_t plane) const {
  return arrays_[0].data() + plane * input_layout().stride(0);
}

void VolumetricFft::transform_all_planes() {
  const NodeLayout result = plan_->local_result(input_layout());
  const std::int64_t planes = result.boxes()[0].length(0);
  for (std::uint32_t plane = 0; plane < planes; ++plane)
    steps_[0].transform->run(input_plane(plane), arrays_[1].data() + plane * result.stride(0));
}

std::span<Complex> VolumetricFft::plane_buffer(std::uint32_t plane) {
  const std::size_t extent = arrays_[1].size() / 2;
  return {arrays_[1].data() + plane % 2 * extent, extent};
}

Tick VolumetricFft::transform_plane(unsigned repetition, std::uint32_t plane) {
  if (plane == 0) time(repetition, 0).begin = time(repetition, 0).exchanged = node_->now();
  steps_[0].transform->run(input_plane(plane), plane_buffer(plane).data());
  return steps_[0].cycles / planes_;
}

void VolumetricFft::send_plane(unsigned repetition, std::uint32_t plane) {
  time(repetition, 0).computed = node_->now();
  if (plane == 0) time(repetition, 1).begin = node_->now();
  steps_[1].redistribution->set_piece(plane, plane_buffer(plane));
  steps_[1].redistribution->copy_own();
  steps_[1].exchange->start();
}

/// Why one barrier between repetitions is enough. A node comes to it with everything received; when
/// it lets anybody through, all have come, so everything that anybody sent has been gathered from
/// its array and counted. From then on whatever arrives belongs to the next repetition, and the
/// arrays that it is written to are nobody's source any more. Within a repetition every
/// distribution has an array of its own.
Program volumetric_fft(Node& node, VolumetricFft& fft) {
  const bool repeated = fft.repetitions() > 1;
  for (unsigned repetition = 0; repetition < fft.repetitions(); ++repetition) {
    if (repeated) co_await node.barrier();
    for (std::uint32_t plane = 0; plane < fft.planes(); ++plane) {
      const Tick cycles = fft.transform_plane(repetition, plane);
      co_await node.compute(cycles);
      const std::uint64_t before = fft.planes_before(repetition, plane);
      const AllToAll* exchange = fft.exchange(1);
      co_await node.until(exchange->sent(), before);
      fft.send_plane(repetition, plane);
      const Tick at_once = 0;  // what finds room leaves while the plane is in the cache
      co_await node.compute(at_once);
    }
    for (std::size_t phase = fft.planes() > 0 ? 1 : 0; phase < fft.phases(); ++phase) {
      const AllToAll* exchange = fft.exchange(phase);
      if (exchange != nullptr) {
        const std::uint64_t before = fft.starts_before(repetition, phase);
        co_await node.until(exchange->sent(), before);
      }
      fft.begin_phase(repetition, phase);
      if (exchange != nullptr) {
        const std::uint64_t expected = fft.expected(repetition, phase);
        co_await node.until(exchange->received(), expected);
      }
      const Tick cycles = fft.transform(repetition, phase);
      co_await node.compute(cycles);
      fft.end_phase(repetition, phase);
    }
  }
}

}  // namespace toroid
