// The orbital transform as the only stage of a plan: blocks in, skewed blocks out.
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

/// Number of arrays of a batch that are transformed at the same time: at most two, because one
/// array is computed while the blocks of the other travel, and a third would only wait. The
/// broadcast variants transform one at a time.
std::int64_t orbital_lanes(std::int64_t batch, OrbitalVariant variant);

/// Upper bound on the bytes of blocks and coefficients of all nodes, with complex elements of
/// double precision, for one direction of a batch. The shape need not be one that the method
/// accepts.
double orbital_bytes(const ArrayExtents& size, const Shape& shape, std::int64_t batch,
                     OrbitalVariant variant = OrbitalVariant::cra);

/// The orbital transform between the local arrays of a plan, for any type of elements. It
/// transforms up to lanes() arrays of a batch at the same time: put() a block into each lane, run
/// their program(), then get() the results.
class OrbitalStageAdapter {
 public:
  virtual ~OrbitalStageAdapter() = default;
  /// Makes an adapter: reserves the handlers that it needs, and loads the BLAS. A blueprint does
  /// not load the BLAS, because a blueprint may be made only to estimate the cost of a run.
  static std::unique_ptr<OrbitalStageAdapter> make(Node& node, const Description& description,
                                                   Way way);

  virtual void put(std::size_t lane, const std::byte* block) = 0;
  virtual void get(std::size_t lane, std::byte* block) = 0;
  virtual std::size_t lanes() const = 0;
  /// The program that transforms the arrays in the first `lanes` lanes.
  virtual Program program(std::size_t lanes) = 0;
  /// Bytes of one array's block.
  virtual std::size_t bytes() const = 0;
  /// Bytes of all blocks and coefficients.
  virtual std::size_t array_bytes() const = 0;
  // These are the values of the first lane.
  virtual std::span<const OrbitalTimes> times() const = 0;
  virtual std::span<const std::uint64_t> numbers_shifted() const = 0;
};

}  // namespace toroid::fft
