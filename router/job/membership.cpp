#include "router/job/membership.hpp"

#include <utility>

#include "router/job/sources.hpp"

namespace toroid {

Membership find_membership() {
  if (auto membership = job::environment_membership()) return *std::move(membership);
  if (auto membership = job::pmix_membership()) return *std::move(membership);
  return {};
}

}  // namespace toroid
