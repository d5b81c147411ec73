// One run of the FFT on an emulated machine: what it took, phase by phase, and its bounds.
#pragma once

#include "fft/volumetric_fft.hpp"
#include "tools/array_io.hpp"
#include "tools/emulation.hpp"

namespace toroid {

/// One phase over all nodes: from the first node that began it to the last that ended it.
struct PhaseSpan {
  Tick begin = ~Tick{0};
  Tick exchanged = 0;
  Tick end = 0;
};

/// One transform over all nodes, from the first that began it to the last that ended it.
struct Repetition {
  explicit Repetition(std::size_t phases) : phases(phases) {}
  std::vector<PhaseSpan> phases;
  Tick cycles() const { return phases.back().end - phases.front().begin; }
};

/// What one run leaves behind, on the process that reports.
struct Outcome {
  HostArray result;
  std::vector<Repetition> repetitions;  ///< by their time
  const Repetition& median() const { return repetitions[repetitions.size() / 2]; }
};

/// Runs the plan's repetitions on the machine's nodes, on which nothing has run before.
Outcome transform(Emulation& emulation, const VolumetricPlan& plan, const HostArray& input);

/// Cycles that an exchange, or all of a transform, takes at least; and the share of them that
/// percent_of_peak is of.
struct PlanBound {
  Tick least = 0;
  Tick peak = 0;
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

struct PlanBounds {
  std::vector<PlanBound> phases;
  PlanBound total;
  Tick paper_model = 0;
};

/// On the emulated machine.
PlanBounds bounds_of(const VolumetricPlan& plan, const Machine& machine);
/// On the host: what the packets' payload costs to copy, and nothing for the transforms.
PlanBounds on_host(PlanBounds bounds, const Machine& machine, unsigned workers);

}  // namespace toroid
