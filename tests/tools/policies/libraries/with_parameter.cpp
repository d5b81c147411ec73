// Visits every N-th peer first; N may not be 0.
#include <toroid/packet/policies/library.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class WithParameter final : public toroid::testing::InOrder {
 public:
  explicit WithParameter(unsigned step) : step_(step) {
    if (step == 0) throw BadInput("a step of 0 leads nowhere");
  }
  SendOrder order(const Visitor& visitor) const override {
    std::vector<Rank> all = peers(visitor);
    std::ranges::stable_sort(all, {}, [&](Rank peer) { return peer % step_; });
    return SendOrder(std::move(all));
  }

 private:
  unsigned step_;
};

}  // namespace

TOROID_POLICY(WithParameter)
