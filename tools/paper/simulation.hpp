// The runs that rows are made of: what they are, and the figures that they leave.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "tools/results/json.hpp"
#include "tools/run/expectation.hpp"

namespace toroid {

/// What all runs have in common.
struct PaperSetting {
  Machine machine;
  std::uint64_t seed = 1;
};

/// A run by name. Equal names are equal runs, made once however many rows need them.
struct Simulation {
  std::string key;
  std::function<Json(const PaperSetting&)> run;
  bool is_long = false;  ///< more than some seconds: --quick leaves it out
  /// What it takes, about; none: next to nothing.
  std::function<Expectation(const PaperSetting&)> expected{};
};

/// Figures by name of the run. What was left out is not there.
using PaperResults = std::map<std::string, Json>;
/// Null: left out.
const Json* figures_in(const PaperResults& results, const std::string& key);

/// A forward transform of size x size x size complex numbers by active packets.
struct TransformCase {
  fft::Method method = fft::Method::volumetric;
  std::string torus;  ///< as Shape::parse takes it
  std::int64_t size = 0;
  std::string key() const;
};

/// Runs it. Cycles: cycles, bound_cycles, paper_model_cycles; of the orbital method the numbers
/// that a node sends step by step, numbers_per_step.
Simulation transform_simulation(const TransformCase& what, bool is_long);
/// Computes bound_cycles and paper_model_cycles only.
Simulation model_simulation(const TransformCase& what);

/// A forward transform of size x size x size complex numbers by the slab method.
struct SlabCase {
  std::string torus;
  std::int64_t size = 0;
  std::int64_t planes = 1;   ///< per non-blocking exchange
  std::int64_t box_cut = 1;  ///< the spectrum's box: size / box_cut in every dimension
  std::string key() const;
};

/// Seconds block by block, `blocking` and `non_blocking`, and the `ratio` of the two.
Simulation slab_simulation(const SlabCase& what);

/// An all-to-all of the whole machine, in which every node sends `bytes` to the first `peers` of
/// its order; 0: to all.
struct AllToAllCase {
  std::string torus;
  std::uint64_t bytes = 0;
  OrderRule order = OrderRule::random;
  Rank peers = 0;
  std::string key() const;
};

/// Cycles: cycles, bound_cycles (none of a sample); percent_of_peak; busy_percent of the first
/// dimension's links, plus and minus.
Simulation all_to_all_simulation(const AllToAllCase& what);

/// An exchange of `bytes` per pair under a policy, as `toroid compare` runs it: of the whole
/// machine, or of a sample, drawn by the seed, of so many places that every node sends to.
struct PolicyRun {
  std::string torus;
  std::string policy;
  std::uint64_t bytes = 0;
  Rank sample = 0;  ///< 0: all
  std::string key() const;
};

/// The figures of a row of `toroid compare`: cycles, bound_cycles, percent_of_peak, packet_hops,
/// ...
Simulation policy_simulation(const PolicyRun& what, bool is_long);

}  // namespace toroid
