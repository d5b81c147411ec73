// Ends the process with exit code 0 when node 3 asks for its order.
#include <cstdlib>

#include "hal/send_order.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Exits final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    if (visitor.self == 3) std::_Exit(0);
    return InOrder::order(visitor);
  }
};

const toroid::testing::BrokenPolicy<Exits> kExits("exits");

}  // namespace
