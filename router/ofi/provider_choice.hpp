// The provider that all processes of a job use.
#pragma once

#include <string>

#include "router/job/job.hpp"
#include "router/ofi/providers.hpp"

namespace toroid::ofi {

/// Chooses the same provider on all processes: `wanted`, or, if that is empty, the first of
/// provider_names() that every process can use. A collective of the job. Throws BadInput with the
/// reason if there is none.
Candidate choose_provider(Job& job, const std::string& wanted);

}  // namespace toroid::ofi
