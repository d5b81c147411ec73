// Has no name.
#include <toroid/packet/policies/library.hpp>

#include <string_view>

#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class EmptyName final : public toroid::testing::InOrder {
 public:
  std::string_view name() const override { return ""; }
};

}  // namespace

TOROID_POLICY(EmptyName)
