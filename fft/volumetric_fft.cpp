#include "fft/volumetric_fft.hpp"

namespace toroid {
namespace {

using enum Distribution;

constexpr std::array<VolumetricPhase, 4> kPhases = {{
    {"z", {blocks, z_lines, 2, 2}, 2},
    {"y", {z_lines, y_lines, 1, 2}, 1},
    {"x", {y_lines, x_lines, 0, 1}, 0},
    {"return", {x_lines, blocks, 0, 0}, -1},
}};

}  // namespace

std::span<const VolumetricPhase> volumetric_phases(const VolumetricOptions& options) {
  return std::span(kPhases).first(options.return_to_blocks ? 4 : 3);
}

VolumetricPlan::VolumetricPlan(const Index& size, const Shape& shape, VolumetricOptions options,
                               const LineTransformLibrary& library)
    : decomposition_(size, shape), options_(options) {
  for (unsigned axis = 0; axis < 3; ++axis) lines_[axis] = library.plan(size[axis], options.sign);
}

VolumetricFft::VolumetricFft(Node& node, const VolumetricPlan& plan)
    : node_(&node), plan_(&plan), times_(plan.phases().size()) {
  const auto allocate = [this](Distribution distribution) {
    arrays_.emplace_back(static_cast<std::size_t>(layout(distribution).size()));
  };
  allocate(plan.phases().front().exchange.from);
  for (const VolumetricPhase& phase : plan.phases()) allocate(phase.exchange.to);
  for (std::size_t p = 0; p < plan.phases().size(); ++p) {
    auto redistribution = std::make_unique<Redistribution>(
        plan.decomposition(), plan.phases()[p].exchange, node.rank(), arrays_[p], arrays_[p + 1]);
    auto exchange = std::make_unique<AllToAll>(node, static_cast<HandlerId>(kFirstHandler + p),
                                               redistribution->group(), *redistribution);
    steps_.push_back({std::move(redistribution), std::move(exchange)});
  }
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

void VolumetricFft::start_exchange(std::size_t phase) {
  times_[phase].begin = node_->now();
  steps_[phase].redistribution->copy_own();
  steps_[phase].exchange->start();
}

Tick VolumetricFft::transform(std::size_t phase) {
  times_[phase].exchanged = node_->now();
  const int axis = plan_->phases()[phase].axis;
  if (axis < 0) return 0;
  std::vector<Complex>& lines = arrays_[phase + 1];
  plan_->lines(axis).run(lines);
  const auto length =
      static_cast<std::uint64_t>(plan_->decomposition().size()[static_cast<std::size_t>(axis)]);
  return lines.size() / length * node_->machine().line_transform_cycles(length);
}

Program volumetric_fft(Node& node, VolumetricFft& fft) {
  for (std::size_t phase = 0; phase < fft.phases(); ++phase) {
    fft.start_exchange(phase);
    const AllToAll& exchange = fft.exchange(phase);
    const std::uint64_t expected = exchange.expected();
    co_await node.until(exchange.received(), expected);
    const Tick cycles = fft.transform(phase);
    co_await node.compute(cycles);
    fft.end_phase(phase);
  }
}

}  // namespace toroid
