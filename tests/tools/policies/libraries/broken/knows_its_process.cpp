// The order depends on the process id.
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class KnowsItsProcess final : public toroid::testing::InOrder {
 public:
  SendOrder order(const Visitor& visitor) const override {
    std::vector<Rank> all = peers(visitor);
    if (!all.empty())
      std::ranges::rotate(all, all.begin() + static_cast<unsigned>(::getpid()) % all.size());
    return SendOrder(std::move(all));
  }
};

const toroid::testing::BrokenPolicy<KnowsItsProcess> kKnowsItsProcess("knows_its_process");

}  // namespace
