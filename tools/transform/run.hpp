// One run of a plan on an emulated machine: its times, stage by stage, and its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/base.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_bounds.hpp"
#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "tools/files/host_array.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// One stage over all nodes: from the first node that begins it to the last that ends it.
struct StageSpan {
  Tick begin = ~Tick{0};
  Tick exchanged = 0;
  Tick end = 0;
};

/// The blocks of the slab paper's tables, in ticks.
struct Blocks {
  // The consecutive parts of the program; each is the mean over the nodes. They add up to the time
  // of a node if nothing but planes is exchanged.
  double plane_loop = 0;  ///< first stage: transforms, and starting and testing exchanges
  double waits = 0;       ///< waiting for exchanges, including work on packets while waiting
  double last_axis = 0;   ///< last stage
  // The kinds of work; each is the mean over the processors (nodes in virtual time, otherwise
  // worker threads). They add up to the time of the whole transform.
  double compute = 0;        ///< transforms
  double pack = 0;           ///< sending; 0 if the description does not ask for it
  double unpack = 0;         ///< receiving, or copying from array to array by put; 0 as `pack`
  double communication = 0;  ///< the rest: polling the network without other work
  /// The part of communication that transforms do not hide: `communication`, and packing and
  /// unpacking after the first stage. Packing and unpacking between the transforms of a stage with
  /// Start::lines count as hidden.
  double exposed = 0;
};

/// One transform over all nodes, from the first node that begins it to the last that ends it.
struct Repetition {
  explicit Repetition(std::size_t stages) : stages(stages) {}
  std::vector<StageSpan> stages;
  Blocks blocks;
  Tick cycles() const { return stages.back().end - stages.front().begin; }
};

/// The results of one run, on the reporting process.
struct Outcome {
  HostArray result;
  std::vector<Repetition> repetitions;  ///< sorted by time
  // Orbital method: figures of the first node and one array, in the last call.
  std::vector<std::uint64_t> numbers_shifted;    ///< by step
  std::vector<fft::OrbitalTimes> orbital_times;  ///< by stage
  double allocate_s = 0;  ///< mean wall-clock time to make a node's plan and arrays
  double deallocate_s = 0;
  unsigned processors = 1;  ///< number of processors that ran the nodes; see Blocks
  /// The bytes of all arrays of the nodes of a process, both of the caller and of the plan. It is
  /// the number for the process that has the most.
  double bytes_per_process = 0;
  const Repetition& median() const { return repetitions[repetitions.size() / 2]; }
};

/// A transform to run.
struct TransformJob {
  std::shared_ptr<const fft::Blueprint> blueprint;
  fft::Way way = fft::Way::forward;
  fft::Scale scale = fft::Scale::none;
  unsigned repeat = 1;
  /// Number of round trips (forward, then backward) in one repetition; `scale` applies to each
  /// round trip. If it is 0, a repetition is a single transform in the direction `way`.
  unsigned loops = 0;
  /// If the array has raw elements, the bytes of one; the result has them too.
  std::size_t raw_bytes = 0;
  /// The factor that multiplies the spectrum between the halves of a round trip; none if it is
  /// empty.
  fft::WaveFactor factor{};

  /// The transforms of one repetition, in order.
  std::vector<fft::Way> ways() const;
  fft::Way last_way() const { return loops > 0 ? fft::Way::backward : way; }

  /// Extents of the transform's input array and of its result.
  const fft::Index& in_extents() const;
  const fft::Index& out_extents() const;
  bool takes_real() const {
    return way == fft::Way::forward ? blueprint->real_in() : blueprint->real_out();
  }
  bool gives_real() const {
    return last_way() == fft::Way::forward ? blueprint->real_out() : blueprint->real_in();
  }
};

/// Returns the run options with the settings that the policy gives the nodes for this transform.
/// The orbital method gets two output queues unless the policy or the user sets their number: with
/// one queue, its two directions would obstruct each other. Throws BadInput if the policy does not
/// fit the machine.
RunOptions under_policy(RunOptions run, const fft::Blueprint& blueprint, const Machine& machine);
/// check_paths() for the messages of a transform under these options. Messages of exchanges in
/// which the policy relays or combines are left out.
void check_paths(const TransformJob& job, const RunOptions& under);
/// The kind of messages that a transform sends.
Sent sent_by(fft::Method method, fft::Layer layer = fft::Layer::packets,
             fft::OrbitalVariant variant = fft::OrbitalVariant::cra);
/// Which settings of a policy have an effect on a transform.
PolicyEffects transform_effects(fft::Method method, const RunOptions& run,
                                fft::Layer layer = fft::Layer::packets,
                                fft::OrbitalVariant variant = fft::OrbitalVariant::cra);

/// Runs a transform on the machine's nodes, on which nothing has run before.
Outcome transform(Emulation& emulation, const TransformJob& job, const HostArray& input);

/// The lower bounds of an exchange or of a whole transform, and how much it sends.
struct PlanBound {
  Bounds bounds;  ///< on the emulated machine
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

struct PlanBounds {
  std::vector<PlanBound> stages;
  PlanBound total;
  Tick paper_model = 0;
  double array_bytes = 0;  ///< of all nodes; the larger of input and result
};

/// Bytes of a whole array of these extents.
double bytes_of_array(const fft::Blueprint& blueprint, const fft::Index& extents, bool real);

/// How exchanges move their messages in a run with these options, which come from under_policy().
fft::Movement movement_of(const RunOptions& under, const fft::Blueprint& blueprint);
/// The bounds of consecutive transforms, in which each node begins a transform when it has ended
/// the previous one.
PlanBounds bounds_of(const fft::Blueprint& blueprint, std::span<const fft::Way> ways,
                     const Machine& machine, const fft::Movement& movement = {});
PlanBounds bounds_of(const fft::Blueprint& blueprint, fft::Way way, const Machine& machine,
                     const fft::Movement& movement = {});

/// The time of a whole transform (cycles of the machine's clock) beside its bound. In virtual time
/// the bound is that of the machine. Otherwise it is the time in which this host makes the
/// necessary copies of everything that is sent (exchange_copy_seconds()), or copies the whole array
/// once if that takes longer.
Timing plan_timing(const PlanBounds& bounds, const Machine& machine, const Emulation& emulation,
                   bool is_virtual, Tick cycles);

}  // namespace toroid
