// The orbital transform between the arrays of a plan's station, whatever their elements are.
#pragma once

#include <cstddef>
#include <memory>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// What the description asks of the orbital method, one way.
OrbitalPlan orbital_plan(const Description& description, const Shape& shape, Way way);

class OrbitalStageState {
 public:
  virtual ~OrbitalStageState() = default;
  /// Takes the handlers that it needs.
  static std::unique_ptr<OrbitalStageState> make(Node& node, const Description& description,
                                                 Way way);

  /// One array after the other: from the array, the program, to the array.
  virtual void put(const std::byte* block) = 0;
  virtual void get(std::byte* block) = 0;
  virtual OrbitalBase& transform() = 0;
  /// Of one array's block.
  virtual std::size_t bytes() const = 0;
};

}  // namespace toroid
