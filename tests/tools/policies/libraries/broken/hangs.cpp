// Never returns when node 3 asks for its order.
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Hangs final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    for (volatile Rank self = visitor.self; self == 3;) continue;
    return InOrder::order(visitor);
  }
};

const toroid::testing::BrokenPolicy<Hangs> kHangs("hangs");

}  // namespace
