// Where a process may learn of its place in the run.
#pragma once

#include <optional>

#include "router/job/membership.hpp"

namespace toroid::job {

/// From RANK and so on; none: they are not set. Throws BadInput.
std::optional<Membership> environment_membership();

/// Under a launcher that speaks PMIx; none: this is not the case.
std::optional<Membership> pmix_membership();

}  // namespace toroid::job
