// The node that asks first gets the reverse order, at this call and at all later ones.
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class RemembersTheFirst final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    Rank none = ~Rank{0};
    first_.compare_exchange_strong(none, visitor.self);
    std::vector<Rank> all = peers(visitor);
    if (first_ == visitor.self) std::ranges::reverse(all);
    return SendOrder(std::move(all));
  }

 private:
  mutable std::atomic<Rank> first_ = ~Rank{0};
};

const toroid::testing::BrokenPolicy<RemembersTheFirst> kRemembersTheFirst("remembers_the_first");

}  // namespace
