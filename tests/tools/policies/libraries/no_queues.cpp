// Has no output queue.
#include <toroid/packet/policies/library.hpp>

#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class NoQueues final : public toroid::testing::InOrder {
 public:
  PolicySettings settings(const PolicyCase&) const override { return {.output_queues = 0}; }
};

}  // namespace

TOROID_POLICY(NoQueues)
