// A policy to check, and the machines on which it is checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"

namespace toroid {

/// A machine on which policies are checked.
struct CheckShape {
  std::string name;  ///< as printed
  Shape shape;
};

/// The machines of each part of a check.
struct CheckMachines {
  std::vector<CheckShape> answers;   ///< for questions
  std::vector<CheckShape> traffics;  ///< for all-to-alls and other traffic
  std::vector<Shape> transforms;
  std::vector<Shape> replays;
  std::vector<Shape> rings;
  std::vector<Shape> ring_transforms;
  std::vector<Shape> distances;  ///< for which the distance from the bound is shown
};

/// Tori, meshes, uneven and twisted shapes, extents of 1 and 2, and a failed link. All are small.
CheckMachines usual_check_machines();
/// All of `asked` for questions, and `run` in all other parts.
CheckMachines check_machines_of(const std::vector<Shape>& asked, const std::vector<Shape>& run);

struct CheckedPolicy {
  const Policy& policy;
  const CheckMachines& machines;
  std::uint64_t seed;
};

}  // namespace toroid
