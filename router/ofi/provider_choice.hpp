// Chooses the provider that all processes of a job use.
#pragma once

#include <functional>

#include "router/job/job.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/placement.hpp"

namespace toroid::ofi {

/// Opens this process's endpoint of a provider, in place of another provider's. Throws RunFailed.
using OpenProvider = std::function<void(const Candidate&)>;

/// Chooses the same provider on all processes: the wanted one or, if none is named, the first of
/// provider_names() that is safe, that every process can use, and that `open` has opened on every
/// process. Process 0 says which of the better providers was expected to work and why it does not.
/// Also decides whether the provider writes frames and reads puts; it does neither if links are
/// checked. Each process takes the network card nearest to `gateway`, the worker that serves the
/// gateway. A collective call of the job. Throws BadInput with the reason if no provider can be
/// used, or if the wanted one is unsafe and `wanted.unsafe_provider` is not set; RunFailed if a
/// process cannot open it.
Candidate choose_provider(Job& job, const OfiOptions& wanted, const WorkerPlace& gateway,
                          const OpenProvider& open);

/// The preference that suits all processes of a job: writes and reads only if all prefer them, and
/// the smallest of their frame lengths. A collective call of the job.
Preference preference_of_all(Job& job, const Preference& mine);

}  // namespace toroid::ofi
