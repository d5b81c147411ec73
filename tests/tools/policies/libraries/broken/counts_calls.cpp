// Each call for an order starts with a different peer.
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

class CountsCalls final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    std::vector<Rank> all = peers(visitor);
    if (!all.empty()) std::ranges::rotate(all, all.begin() + ++calls_ % all.size());
    return SendOrder(std::move(all));
  }

 private:
  mutable std::atomic<unsigned> calls_ = 0;
};

const toroid::testing::BrokenPolicy<CountsCalls> kCountsCalls("counts_calls");

}  // namespace
