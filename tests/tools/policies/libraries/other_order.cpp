// Visits ranks 0, 1, 2, ... It has the name of the policy shift_copy, because its file replaces
// that policy's file.
#include <toroid/packet/policies/library.hpp>

#include <string_view>

#include "hal/send_order.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class OtherOrder final : public toroid::testing::InOrder {
 public:
  std::string_view name() const override { return "shift-copy"; }
  SendOrder order(const Visitor& visitor) const override {
    return {OrderRule::rank, visitor.self, visitor.shape.size(), visitor.seed};
  }
};

}  // namespace

TOROID_POLICY(OtherOrder)
