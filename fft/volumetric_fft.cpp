#include "fft/volumetric_fft.hpp"

namespace toroid {

VolumetricPlan::VolumetricPlan(const Index& size, const Shape& shape, VolumetricOptions options,
                               const TransformLibrary& library)
    : decomposition_(size, shape),
      options_(options),
      phases_(volumetric_phases(decomposition_.grid(), options.return_to_blocks)) {
  CHECK_LT(0u, options.repeat);
  for (const VolumetricPhase& phase : phases_) {
    if (phase.axes == Axes{}) continue;
    for (Rank node = 0; node < shape.size(); ++node) {
      const NodeLayout layout =
          decomposition_.layout(phase.distribution, decomposition_.grid().coord(node));
      if (layout.size() == 0) continue;
      const LocalShape local = shape_of(phase, layout);
      if (auto& transform = transforms_[local]; transform == nullptr)
        transform = library.plan(local, options.sign, options.rigor);
    }
  }
}

LocalShape VolumetricPlan::shape_of(const VolumetricPhase& phase, const NodeLayout& layout) const {
  return local_shape(layout, decomposition_.size(), phase.axes, phase.exchange.has_value());
}

const LocalTransform* VolumetricPlan::transform(const VolumetricPhase& phase,
                                                const NodeLayout& layout) const {
  if (phase.axes == Axes{} || layout.size() == 0) return nullptr;
  return transforms_.at(shape_of(phase, layout)).get();
}

VolumetricFft::VolumetricFft(Node& node, const VolumetricPlan& plan)
    : node_(&node), plan_(&plan), times_(plan.phases().size() * plan.options().repeat) {
  arrays_.emplace_back(static_cast<std::size_t>(input_layout().size()));
  for (const VolumetricPhase& phase : plan.phases())
    arrays_.emplace_back(static_cast<std::size_t>(layout(phase.distribution).size()));
  for (std::size_t p = 0; p < plan.phases().size(); ++p) steps_.push_back(step(p));
}

VolumetricFft::Step VolumetricFft::step(std::size_t phase) {
  const VolumetricPhase& what = plan_->phases()[phase];
  const Decomposition& decomposition = plan_->decomposition();
  const NodeLayout layout = this->layout(what.distribution);
  Step step{nullptr, nullptr, plan_->transform(what, layout),
            transform_cycles(node_->machine(), layout.size(), decomposition.size(), what.axes)};
  if (!what.exchange) return step;
  step.redistribution = std::make_unique<Redistribution>(
      decomposition, *what.exchange, node_->rank(), arrays_[phase], arrays_[phase + 1]);
  step.exchange = std::make_unique<AllToAll>(*node_, static_cast<HandlerId>(kFirstHandler + phase),
                                             step.redistribution->group(), *step.redistribution);
  return step;
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

void VolumetricFft::begin_phase(unsigned repetition, std::size_t phase) {
  time(repetition, phase).begin = node_->now();
  const Step& step = steps_[phase];
  if (step.exchange == nullptr) return;
  step.exchange->start();
  step.redistribution->copy_own();
}

Tick VolumetricFft::transform(unsigned repetition, std::size_t phase) {
  time(repetition, phase).exchanged = node_->now();
  const Step& step = steps_[phase];
  if (step.transform == nullptr) return 0;
  const bool in_place = step.exchange != nullptr;
  step.transform->run(arrays_[in_place ? phase + 1 : phase].data(), arrays_[phase + 1].data());
  return step.cycles;
}

void VolumetricFft::end_phase(unsigned repetition, std::size_t phase) {
  time(repetition, phase).computed = node_->now();
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
    for (std::size_t phase = 0; phase < fft.phases(); ++phase) {
      fft.begin_phase(repetition, phase);
      const AllToAll* exchange = fft.exchange(phase);
      if (exchange != nullptr) {
        const std::uint64_t expected = exchange->expected();
        co_await node.until(exchange->received(), expected);
      }
      const Tick cycles = fft.transform(repetition, phase);
      co_await node.compute(cycles);
      fft.end_phase(repetition, phase);
    }
  }
}

}  // namespace toroid
