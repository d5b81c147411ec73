// Runs that are identified by their names. Each runs once; several run at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tools/run/estimate.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Settings that all runs share.
struct PaperSetting {
  Machine machine;
  std::uint64_t seed = 1;
};

/// A run with a name. Runs with the same name are the same run, which is made only once even if
/// several rows need it.
struct Simulation {
  std::string key;
  std::function<Json(const PaperSetting&)> run;
  bool is_long = false;  ///< takes more than a few seconds; --quick leaves it out
  /// Estimated time and memory; null if negligible.
  std::function<RunEstimate(const PaperSetting&)> expected{};
};

/// The figures of runs by name, without runs that were left out.
using PaperResults = std::map<std::string, Json>;
/// The figures of a run; null if it was left out.
const Json* figures_in(const PaperResults& results, const std::string& key);

/// A forward transform of arrays of size x size x size complex numbers.
struct TransformCase {
  fft::Method method = fft::Method::volumetric;
  std::string torus;  ///< as Shape::parse takes it
  std::int64_t size = 0;
  fft::Layer layer = fft::Layer::packets;
  fft::OrbitalVariant variant = fft::OrbitalVariant::cra;
  std::int64_t batch = 1;  ///< number of arrays
  std::string key() const;
};

/// Runs the transform. Figures: nodes; cycles, bound_cycles and paper_model_cycles; for the orbital
/// method also steps, and stage1, stage2 and stage3: how many numbers a node sends in each step of
/// that stage.
Simulation transform_simulation(const TransformCase& what, bool is_long);
/// Computes bounds without a run. Figures: bound_cycles and paper_model_cycles.
Simulation model_simulation(const TransformCase& what);

/// A forward transform of size x size x size complex numbers by the slab method.
struct SlabCase {
  std::string torus;
  std::int64_t size = 0;
  std::int64_t planes = 1;  ///< number of planes per non-blocking exchange
  double box_cut = 1;       ///< the spectrum's box has size / box_cut points in every dimension
  std::string key() const;
};

/// Figures: those of slab_comparison(). They include the seconds of every block in `blocking` and
/// `non_blocking`, and the `ratio` of non-blocking to blocking.
Simulation slab_simulation(const SlabCase& what);

/// An all-to-all of the whole machine. Every node sends `bytes` bytes to each of the first `peers`
/// nodes of its order, or to all if `peers` is 0.
struct AllToAllCase {
  std::string torus;
  std::uint64_t bytes = 0;
  OrderRule order = OrderRule::random;
  Rank peers = 0;
  std::string key() const;
};

/// Figures: cycles; plus_busy_percent and minus_busy_percent, the mean percentage of time in which
/// the first dimension's links in that direction are busy; and, if `peers` is 0, bound_cycles and
/// percent_of_peak.
Simulation all_to_all_simulation(const AllToAllCase& what);

/// An exchange of `bytes` bytes per pair under a policy, as `toroid compare` runs it: from each
/// node to all others, or to a sample of destinations that the seed draws.
struct PolicyRun {
  std::string torus;
  std::string policy;
  std::uint64_t bytes = 0;
  Rank sample = 0;  ///< number of destinations; 0 for all nodes
  /// A preset with DMA engines, which move the packets. If empty, the machine of the setting.
  std::string machine{};
  std::string key() const;
};

/// Figures: those of a row of `toroid compare`, such as cycles, bound_cycles, percent_of_peak and
/// packet_hops.
Simulation policy_simulation(const PolicyRun& what, bool is_long);

/// Parses a run: its kind (transform, model, slab, alltoall or exchange), then KEY=VALUE with the
/// members above as keys (box_cut is written "box-cut"), and optionally `long`. Example: "transform
/// torus=8x8x8 size=128 long". Throws BadInput.
Simulation simulation_of(std::string_view text);

struct SimulateOptions {
  unsigned at_once = 0;  ///< if 0, one per core that the process may use
  bool quiet = false;    ///< print no progress
  /// Called with the results so far whenever a run and all earlier ones are finished; may be empty.
  std::function<void(const PaperResults&)> show{};
};

/// The figures of all runs; after an interruption, those of finished runs. If a run throws, the
/// others end and RunFailed is thrown.
PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options);

/// The expected time and memory of all runs if `at_once` of them run at a time.
RunEstimate estimate_simulations(const std::vector<Simulation>& simulations,
                                 const PaperSetting& setting, unsigned at_once);

}  // namespace toroid
