// How a process reaches process 0 of its job.
#pragma once

#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"

namespace toroid::job {

/// Connects with process 0 and proves that this process belongs to the job, and makes process 0
/// prove the same. Throws RunFailed if that does not succeed in time, or process 0 refuses this
/// process.
Connection dial(const Membership& membership, const JobOptions& options);

}  // namespace toroid::job
