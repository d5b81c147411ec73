// Crashes when node 3 asks for its order.
#include <toroid/packet/policies/library.hpp>

#include <csignal>

#include "hal/send_order.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Crashes final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    if (visitor.self == 3) std::raise(SIGSEGV);
    return InOrder::order(visitor);
  }
};

}  // namespace

TOROID_POLICY(Crashes)
