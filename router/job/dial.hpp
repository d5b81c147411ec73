// How a process reaches process 0.
#pragma once

#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"

namespace toroid::job {

/// A connection over which both have proved that they hold the key. Throws RunFailed when none has
/// come about in time, or process 0 does not want this process.
Connection dial(const Membership& membership, const JobOptions& options);

}  // namespace toroid::job
