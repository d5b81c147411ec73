// The provider that all processes of a job use.
#pragma once

#include "router/job/job.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/placement.hpp"

namespace toroid::ofi {

/// Chooses the same provider on all processes: the one that is wanted, or else the first of
/// provider_names() that every process can use; whether it writes frames, and whether it reads
/// puts, neither of which it does where links are checked. Each takes the network card nearest to
/// `gateway`, the worker that serves it. A collective of the job. Throws BadInput with the reason
/// if there is none.
Candidate choose_provider(Job& job, const OfiOptions& wanted, const WorkerPlace& gateway);

/// What serves all processes of a job best: what each of them prefers, and the shortest frames. A
/// collective of the job.
Preference preference_of_all(Job& job, const Preference& mine);

}  // namespace toroid::ofi
