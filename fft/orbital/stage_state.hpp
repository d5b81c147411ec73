// The orbital transform as the one stage of a plan: blocks in, skewed blocks out.
#pragma once

#include <cstddef>
#include <memory>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// The orbital plan for one direction of a description.
OrbitalPlan orbital_plan(const Description& description, const Shape& shape, Way way);

/// The orbital transform between the local arrays of a plan, for any type of elements. It
/// transforms one array of a batch at a time: put() its block, run the program of transform(),
/// get() the result.
class OrbitalStageState {
 public:
  virtual ~OrbitalStageState() = default;
  /// Reserves the handlers that it needs, and loads the BLAS: the first that multiplies, rather
  /// than a blueprint, which may only be asked what a run would take.
  static std::unique_ptr<OrbitalStageState> make(Node& node, const Description& description,
                                                 Way way);

  virtual void put(const std::byte* block) = 0;
  virtual void get(std::byte* block) = 0;
  virtual OrbitalBase& transform() = 0;
  /// Bytes of one array's block.
  virtual std::size_t bytes() const = 0;
};

}  // namespace toroid::fft
