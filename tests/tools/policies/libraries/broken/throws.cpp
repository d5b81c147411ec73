// Throws when node 3 asks for its order.
#include <stdexcept>

#include "hal/send_order.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Throws final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    if (visitor.self == 3) throw std::runtime_error("node 3 is not to my liking");
    return InOrder::order(visitor);
  }
};

const toroid::testing::BrokenPolicy<Throws> kThrows("throws");

}  // namespace
