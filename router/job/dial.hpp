// Connects a process with process 0 of its job.
#pragma once

#include <functional>
#include <memory>

#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/loop.hpp"
#include "router/job/membership.hpp"
#include "router/job/tls.hpp"

namespace toroid::job {

/// Connects with process 0, proves to hold the key and checks that process 0 does, says hello, and
/// waits for the welcome. Runs the loop, and calls `stop` several times a second; returns null once
/// it is true. Throws RunFailed if process 0 does not appear in time, or refuses.
std::unique_ptr<Connection> dial(Loop& loop, const Tls& tls, const Membership& membership,
                                 const JobOptions& options, ProcessInfo self,
                                 const std::function<bool()>& stop);

}  // namespace toroid::job
