// Claims that its detours via rank 0 are shortest paths.
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class NotShortest final : public toroid::testing::InOrder {
 public:
  unsigned stages(const Shape&) const override { return 2; }
  Rank relay(const Shape&, const Waypoint&) const override { return 0; }
  bool keeps_to_shortest_ways(const Shape&) const override { return true; }
};

const toroid::testing::BrokenPolicy<NotShortest> kNotShortest("not_shortest");

}  // namespace
