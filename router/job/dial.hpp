// Connects a process with process 0 of its job.
#pragma once

#include <functional>
#include <memory>

#include "router/job/bootstrap.hpp"
#include "router/job/connection.hpp"
#include "router/job/event_loop.hpp"
#include "router/job/job.hpp"
#include "router/job/tls.hpp"

namespace toroid::job {

/// Connects with process 0: both ends prove that they hold the key, then this end says hello and
/// waits for the welcome. Meanwhile runs the loop and calls `stop` several times a second; returns
/// null once `stop` returns true. Throws RunFailed if process 0 does not appear in time, or refuses
/// this process.
std::unique_ptr<Connection> dial(Loop& loop, const Tls& tls, const Bootstrap& bootstrap,
                                 const JobOptions& options, ProcessInfo self,
                                 const std::function<bool()>& stop);

}  // namespace toroid::job
