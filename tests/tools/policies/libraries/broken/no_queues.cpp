// Has no output queue.
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/broken/broken.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class NoQueues final : public toroid::testing::InOrder {
 public:
  PolicySettings settings(const PolicyCase&) const override { return {.output_queues = 0}; }
};

const toroid::testing::BrokenPolicy<NoQueues> kNoQueues("no_queues");

}  // namespace
