// One run of a plan on an emulated machine: what it took, stage by stage, and its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/base.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "tools/files/array_io.hpp"
#include "tools/report/bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// One stage over all nodes: from the first node that began it to the last that ended it.
struct StageSpan {
  Tick begin = ~Tick{0};
  Tick exchanged = 0;
  Tick end = 0;
};

/// The blocks of the slab paper's tables, in ticks.
struct Blocks {
  // As the program goes: mean over the nodes. They add up to a node's time if there is no exchange
  // but that of planes.
  double plane_loop = 0;  ///< first stage: transforms, and starting and looking after exchanges
  double waits = 0;       ///< waiting for exchanges, with the work on packets meanwhile
  double last_axis = 0;   ///< last stage
  // What is done: mean over the processors, which are nodes in virtual time and worker threads
  // else. They add up to the time of the whole transform.
  double compute = 0;        ///< transforms
  double pack = 0;           ///< sending; 0 unless the description says that it is measured
  double unpack = 0;         ///< receiving; of puts, the copy from array to array; likewise
  double communication = 0;  ///< the rest: nothing to be done but to look at the network
  /// What is not hidden behind transforms: `communication`, and of packing and unpacking what comes
  /// after the first stage, but for what a stage that begins by lines does between its transforms.
  double exposed = 0;
};

/// One transform over all nodes, from the first that began it to the last that ended it.
struct Repetition {
  explicit Repetition(std::size_t stages) : stages(stages) {}
  std::vector<StageSpan> stages;
  Blocks blocks;
  Tick cycles() const { return stages.back().end - stages.front().begin; }
};

/// What one run leaves behind, on the process that reports.
struct Outcome {
  HostArray result;
  std::vector<Repetition> repetitions;  ///< by their time
  // Of the orbital method: of the first node and one array, in the last call.
  std::vector<std::uint64_t> numbers_shifted;    ///< by step
  std::vector<fft::OrbitalTimes> orbital_times;  ///< by stage
  double allocate_s = 0;  ///< to make a node's plan and arrays, mean, on the wall clock
  double deallocate_s = 0;
  unsigned processors = 1;  ///< that ran the nodes; see Blocks
  /// Bytes of the arrays of all nodes of a process, the caller's and the plan's: the figure of the
  /// process that has most.
  double bytes_per_process = 0;
  const Repetition& median() const { return repetitions[repetitions.size() / 2]; }
};

/// A transform to be run.
struct TransformJob {
  std::shared_ptr<const fft::Blueprint> blueprint;
  fft::Way way = fft::Way::forward;
  fft::Scale scale = fft::Scale::none;
  unsigned repeat = 1;
  /// Pairs of forward and backward that make up one repetition, each scaled by `scale` when it is
  /// back; 0: a single transform in `way`.
  unsigned loops = 0;

  /// The transforms of one repetition, one after the other.
  std::vector<fft::Way> ways() const;
  fft::Way last_way() const { return loops > 0 ? fft::Way::backward : way; }

  /// Extents of the array that the transform takes, and of the one that it gives.
  const fft::Index& in_extents() const;
  const fft::Index& out_extents() const;
  bool takes_real() const {
    return way == fft::Way::forward ? blueprint->real_in() : blueprint->real_out();
  }
  bool gives_real() const {
    return last_way() == fft::Way::forward ? blueprint->real_out() : blueprint->real_in();
  }
};

/// The run with nodes that the policy sets up for the transform. The orbital method has two output
/// queues where neither policy nor user say: with one, its two directions would get in each other's
/// way. Throws BadInput where the policy does not fit the machine.
RunOptions under_policy(RunOptions run, const fft::Blueprint& blueprint, const Machine& machine);
/// What a transform sends.
Sent sent_by(fft::Method method, fft::Layer layer = fft::Layer::packets,
             fft::OrbitalVariant variant = fft::OrbitalVariant::cra);
/// What is read of a policy's settings.
PolicyEffects transform_effects(fft::Method method, const RunOptions& run,
                                fft::Layer layer = fft::Layer::packets,
                                fft::OrbitalVariant variant = fft::OrbitalVariant::cra);

/// Runs a transform on the machine's nodes, on which nothing has run before.
Outcome transform(Emulation& emulation, const TransformJob& job, const HostArray& input);

/// What an exchange, or all of a transform, takes at least, and what it sends.
struct PlanBound {
  Bounds bounds;  ///< on the emulated machine
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

struct PlanBounds {
  std::vector<PlanBound> stages;
  PlanBound total;
  Tick paper_model = 0;
  double array_bytes = 0;  ///< of all nodes, of what the transform takes or gives, the larger
};

/// Bytes of the whole array of these extents.
double bytes_of_array(const fft::Blueprint& blueprint, const fft::Index& extents, bool real);

/// Bounds of several transforms in a row: every node begins each when it has ended the one before.
/// `by_engines`: DMA engines move the packets of exchanges.
PlanBounds bounds_of(const fft::Blueprint& blueprint, std::span<const fft::Way> ways,
                     const Machine& machine, bool by_engines = false);
PlanBounds bounds_of(const fft::Blueprint& blueprint, fft::Way way, const Machine& machine,
                     bool by_engines = false);

/// The time of a whole transform (cycles of the machine's clock) beside its bound. In virtual time
/// the bound is the machine's; else it is the time in which this host can copy everything that is
/// sent into packets and out of them again, or the whole array once if that takes longer.
Timing plan_timing(const PlanBounds& bounds, const Machine& machine, const Emulation& emulation,
                   bool is_virtual, Tick cycles);

}  // namespace toroid
