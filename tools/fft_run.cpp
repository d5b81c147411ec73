#include "tools/fft_run.hpp"

#include <algorithm>
#include <deque>

#include "fft/transform_bounds.hpp"
#include "tools/host_bound.hpp"
#include "tools/progress.hpp"

namespace toroid {
namespace {

void collect(std::span<const PhaseTimes> times, Repetition& repetition) {
  for (std::size_t p = 0; p < times.size(); ++p) {
    PhaseSpan& span = repetition.phases[p];
    span.begin = std::min(span.begin, times[p].begin);
    span.exchanged = std::max(span.exchanged, times[p].exchanged);
    span.end = std::max(span.end, times[p].computed);
  }
}

Outcome outcome_of(const std::deque<VolumetricFft>& ffts, const VolumetricPlan& plan) {
  const auto volume = static_cast<std::size_t>(plan.decomposition().volume());
  Outcome outcome{{plan.decomposition().size(), std::vector<Complex>(volume)}, {}};
  for (unsigned r = 0; r < plan.options().repeat; ++r) {
    Repetition& repetition = outcome.repetitions.emplace_back(plan.phases().size());
    for (const VolumetricFft& fft : ffts) collect(fft.times(r), repetition);
  }
  std::ranges::sort(outcome.repetitions, {}, &Repetition::cycles);
  for (const VolumetricFft& fft : ffts) put_part(outcome.result, fft.output_layout(), fft.output());
  return outcome;
}

}  // namespace

Outcome transform(Emulation& emulation, const VolumetricPlan& plan, const HostArray& input) {
  std::deque<VolumetricFft> ffts;
  for (Node& node : emulation.nodes()) {
    throw_if_interrupted();
    VolumetricFft& fft = ffts.emplace_back(node, plan);
    take_part(input, fft.input_layout(), fft.input());
    node.run(volumetric_fft(node, fft));
  }
  emulation.run();
  return outcome_of(ffts, plan);
}

PlanBounds bounds_of(const VolumetricPlan& plan, const Machine& machine) {
  TransformBounds transform(plan.decomposition(), machine);
  PlanBounds bounds;
  for (const VolumetricPhase& phase : plan.phases()) {
    throw_if_interrupted();
    const ExchangeBounds exchange = transform.add(phase);
    bounds.phases.push_back(
        {exchange.max(), exchange.hottest_link, exchange.packets, exchange.payload_bytes});
    bounds.total.packets += exchange.packets;
    bounds.total.payload_bytes += exchange.payload_bytes;
  }
  bounds.total.least = transform.total();
  bounds.total.peak = transform.hottest_link();
  bounds.paper_model = transform.paper_model();
  return bounds;
}

PlanBounds on_host(PlanBounds bounds, const Machine& machine, unsigned workers) {
  const auto set = [&](PlanBound& bound) {
    bound.least = bound.peak =
        copy_bound(machine, static_cast<double>(bound.payload_bytes), workers);
  };
  for (PlanBound& phase : bounds.phases) set(phase);
  set(bounds.total);
  return bounds;
}

}  // namespace toroid
