// Relays packets via a node that does not exist.
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class RelayNowhere final : public toroid::testing::InOrder {
 public:
  unsigned stages(const Shape&) const override { return 2; }
  Rank relay(const Shape& shape, const Waypoint&) const override { return shape.size(); }
};

const toroid::testing::BrokenPolicy<RelayNowhere> kRelayNowhere("relay_nowhere");

}  // namespace
