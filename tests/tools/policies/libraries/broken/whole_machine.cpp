// Mistakes the rank in the whole machine for the rank in the exchanging group.
#include <utility>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class WholeMachine final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    std::vector<Rank> all;
    for (Rank r = 0; r < visitor.shape.size(); ++r)
      if (r != visitor.identity) all.push_back(r);
    return SendOrder(std::move(all));
  }
};

const toroid::testing::BrokenPolicy<WholeMachine> kWholeMachine("whole_machine");

}  // namespace
