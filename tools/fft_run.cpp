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

/// What a node leaves behind.
struct NodeResult {
  Rank rank;
  std::span<const PhaseTimes> times;  ///< [repetition][phase]
  std::span<const Complex> output;
};

/// A node's result for another process: its rank, its times, its output.
void pack(const NodeResult& result, Blob& blob) {
  const std::uint64_t rank = result.rank;
  for (const auto bytes : {std::as_bytes(std::span(&rank, 1)), std::as_bytes(result.times),
                           std::as_bytes(result.output)})
    blob.insert(blob.end(), bytes.begin(), bytes.end());
}

/// Puts the nodes' results together.
class Results {
 public:
  explicit Results(const VolumetricPlan& plan)
      : plan_(plan),
        outcome_{{plan.decomposition().size(),
                  std::vector<Complex>(static_cast<std::size_t>(plan.decomposition().volume()))},
                 {}} {
    for (unsigned r = 0; r < plan.options().repeat; ++r)
      outcome_.repetitions.emplace_back(plan.phases().size());
  }

  void add(const NodeResult& result) {
    const std::size_t phases = plan_.phases().size();
    for (std::size_t r = 0; r < outcome_.repetitions.size(); ++r)
      collect(result.times.subspan(r * phases, phases), outcome_.repetitions[r]);
    put_part(outcome_.result, layout(result.rank), result.output);
  }
  /// Those that pack() has put into a blob, one after the other.
  void add_packed(std::span<const std::byte> blob) {
    while (!blob.empty()) {
      const auto rank = static_cast<Rank>(take<std::uint64_t>(blob, 1).front());
      const auto times =
          take<PhaseTimes>(blob, outcome_.repetitions.size() * plan_.phases().size());
      const auto output = take<Complex>(blob, static_cast<std::size_t>(layout(rank).extent()));
      add({rank, times, output});
    }
  }
  Outcome finish() && {
    std::ranges::sort(outcome_.repetitions, {}, &Repetition::cycles);
    return std::move(outcome_);
  }

 private:
  NodeLayout layout(Rank rank) const {
    const Decomposition& decomposition = plan_.decomposition();
    return decomposition.layout(plan_.output_distribution(), decomposition.grid().coord(rank));
  }
  /// The next values of a blob, where they lie: everything in it is a multiple of 8 bytes long.
  template <typename T>
  static std::span<const T> take(std::span<const std::byte>& blob, std::size_t count) {
    static_assert(alignof(T) <= 8 && std::is_trivially_copyable_v<T>);
    CHECK_LE(count * sizeof(T), blob.size());
    const std::span values(reinterpret_cast<const T*>(blob.data()), count);
    blob = blob.subspan(count * sizeof(T));
    return values;
  }

  const VolumetricPlan& plan_;
  Outcome outcome_;
};

std::span<const PhaseTimes> all_times(const VolumetricFft& fft) {
  return {fft.times(0).data(), fft.times(0).size() * fft.repetitions()};
}

Outcome outcome_of(const Emulation& emulation, const std::deque<VolumetricFft>& ffts,
                   const VolumetricPlan& plan) {
  const Processes& processes = emulation.processes();
  Results results(plan);
  Blob packed;
  for (std::size_t i = 0; i < ffts.size(); ++i) {
    const NodeResult result{emulation.nodes()[i].rank(), all_times(ffts[i]), ffts[i].output()};
    if (processes.reports())
      results.add(result);
    else
      pack(result, packed);
  }
  for (const Blob& blob : processes.gather(std::move(packed))) results.add_packed(blob);
  return std::move(results).finish();
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
  return outcome_of(emulation, ffts, plan);
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
