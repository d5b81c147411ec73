// How a process reaches process 0 of its job.
#pragma once

#include <functional>
#include <memory>

#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/loop.hpp"
#include "router/job/membership.hpp"
#include "router/job/tls.hpp"

namespace toroid::job {

/// Connects with process 0, where both prove to each other that they hold the key, says hello, and
/// is welcome. Runs the loop, and asks several times a second whether to `stop`: then it returns
/// null. Throws RunFailed if there is no process 0 in time, or it refuses.
std::unique_ptr<Connection> dial(Loop& loop, const Tls& tls, const Membership& membership,
                                 const JobOptions& options, ProcessInfo self,
                                 const std::function<bool()>& stop);

}  // namespace toroid::job
