// The provider that all processes of a job take.
#pragma once

#include <string>

#include "router/job/job.hpp"
#include "router/ofi/libfabric.hpp"

namespace toroid::ofi {

/// The same on all processes: `wanted`, or, where that is empty, the first of provider_names() that
/// every process can use. Throws BadInput where there is none, with the reason.
Candidate choose_provider(Job& job, const std::string& wanted);

}  // namespace toroid::ofi
