// Has no stage.
#include "hal/shape.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class NoStages final : public toroid::testing::InOrder {
 public:
  unsigned stages(const Shape&) const override { return 0; }
};

const toroid::testing::BrokenPolicy<NoStages> kNoStages("no_stages");

}  // namespace
