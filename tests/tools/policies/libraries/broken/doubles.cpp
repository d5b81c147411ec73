// Visits the first peer again instead of the last peer.
#include <utility>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Doubles final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    std::vector<Rank> all = peers(visitor);
    if (all.size() > 1) all.back() = all.front();
    return SendOrder(std::move(all));
  }
};

const toroid::testing::BrokenPolicy<Doubles> kDoubles("doubles");

}  // namespace
