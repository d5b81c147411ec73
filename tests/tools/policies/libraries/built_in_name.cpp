// Has the name of a built-in policy.
#include <toroid/packet/policies/library.hpp>

#include <string_view>

#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class BuiltInName final : public toroid::testing::InOrder {
 public:
  std::string_view name() const override { return "shift"; }
};

}  // namespace

TOROID_POLICY(BuiltInName)
