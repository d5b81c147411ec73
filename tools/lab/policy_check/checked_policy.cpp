#include "tools/lab/policy_check/checked_policy.hpp"

#include <initializer_list>

#include "hal/failures.hpp"

namespace toroid {
namespace {

std::vector<Shape> parsed(std::initializer_list<const char*> texts) {
  std::vector<Shape> shapes;
  for (const char* text : texts) shapes.push_back(Shape::parse(text));
  return shapes;
}

std::vector<CheckShape> named(const std::vector<Shape>& shapes) {
  std::vector<CheckShape> all;
  for (const Shape& shape : shapes) all.push_back({shape.text(), shape});
  return all;
}

}  // namespace

CheckMachines usual_check_machines() {
  CheckMachines machines{
      .answers = named(parsed({"4x4x4", "2x2x2", "3x3m", "4mx4m", "5x2x1", "6x3", "8", "2",
                               "3x4x2x2", "8x4@YX4", "2x4x4@XY2@XZ2"})),
      .traffics = {},
      .transforms = parsed({"2x2x2", "4x2x2", "4x4"}),
      .replays = parsed({"4x2x2", "3x5", "4x4m"}),
      .rings = parsed({"2x2x2", "4x3"}),
      .ring_transforms = parsed({"2x2x2"}),
      .distances = parsed({"4x4x4", "8x4x4", "4x4x4m", "8x8", "8x4@YX4"})};
  FailureList failed;
  failed.links = {"(0,0,0)X+"};
  failed.long_ways = true;
  machines.answers.push_back(
      {"4x4x2, (0,0,0)X+ failed", Shape::parse("4x4x2").with_failures(failed)});
  machines.traffics = machines.answers;
  return machines;
}

CheckMachines check_machines_of(const std::vector<Shape>& asked, const std::vector<Shape>& run) {
  return {.answers = named(asked),
          .traffics = named(run),
          .transforms = run,
          .replays = run,
          .rings = run,
          .ring_transforms = run,
          .distances = run};
}

}  // namespace toroid
