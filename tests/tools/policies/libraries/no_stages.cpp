// Has no stage.
#include <toroid/packet/policies/library.hpp>

#include "hal/shape.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class NoStages final : public toroid::testing::InOrder {
 public:
  unsigned stages(const Shape&) const override { return 0; }
};

}  // namespace

TOROID_POLICY(NoStages)
