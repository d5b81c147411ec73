// The orbital transform as the one stage of a plan: blocks in, skewed blocks out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// The orbital plan for one direction of a description.
OrbitalPlan orbital_plan(const Description& description, const Shape& shape, Way way);

/// Arrays of a batch that are transformed at the same time, of a whole batch: while the blocks of
/// one travel, the other computes; a third one would wait.
std::int64_t orbital_lanes(std::int64_t batch, OrbitalVariant variant);

/// Bytes of blocks and coefficients of all nodes, complex ones of double precision, at most: what
/// one direction takes for a batch of such arrays. The shape need not be one that the method takes.
double orbital_bytes(const ArrayExtents& size, const Shape& shape, std::int64_t batch,
                     OrbitalVariant variant = OrbitalVariant::cra);

/// The orbital transform between the local arrays of a plan, for any type of elements. Of a batch
/// it transforms as many arrays at the same time as it has lanes: put() a block into each, run
/// their program(), get() the results.
class OrbitalStageState {
 public:
  virtual ~OrbitalStageState() = default;
  /// Reserves the handlers that it needs, and loads the BLAS: the first that multiplies, rather
  /// than a blueprint, which may only be asked what a run would take.
  static std::unique_ptr<OrbitalStageState> make(Node& node, const Description& description,
                                                 Way way);

  virtual void put(std::size_t lane, const std::byte* block) = 0;
  virtual void get(std::size_t lane, std::byte* block) = 0;
  virtual std::size_t lanes() const = 0;
  /// The program that transforms what is in the first lanes.
  virtual Program program(std::size_t lanes) = 0;
  /// Bytes of one array's block.
  virtual std::size_t bytes() const = 0;
  /// Bytes of everything.
  virtual std::size_t array_bytes() const = 0;
  // Of the first lane.
  virtual std::span<const OrbitalTimes> times() const = 0;
  virtual std::span<const std::uint64_t> numbers_shifted() const = 0;
};

}  // namespace toroid::fft
