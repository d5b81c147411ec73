// All calls share one scratch array, so calls of several threads disturb each other.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class SharesScratch final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    for (unsigned i = 0; i < 20000; ++i) scratch_[i % scratch_.size()] = visitor.self;
    std::vector<Rank> all = peers(visitor);
    std::ranges::sort(all, {}, [&](Rank peer) { return peer ^ scratch_[peer % scratch_.size()]; });
    return SendOrder(std::move(all));
  }

 private:
  mutable std::array<volatile Rank, 64> scratch_{};
};

const toroid::testing::BrokenPolicy<SharesScratch> kSharesScratch("shares_scratch");

}  // namespace
