// How a process reaches process 0 of its job.
#pragma once

#include <chrono>
#include <functional>

#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/loop.hpp"
#include "router/job/membership.hpp"
#include "router/job/wire.hpp"

namespace asio::ssl {
class context;
}

namespace toroid::job {

/// Called several times a second by a function that waits. What it throws ends the wait.
inline constexpr std::chrono::milliseconds kPollPeriod{50};

struct Caller {
  std::function<Message(const Connection&)> hello;
  /// Process 0 has admitted this process: sets the connection's handlers, before anything else
  /// comes.
  std::function<void(const ConnectionPtr&)> admitted;
};

/// Connects with process 0, with which this process and process 0 prove that they hold the key, and
/// says hello until it is admitted. Runs the loop meanwhile. Throws RunFailed if that does not
/// succeed in time, or process 0 refuses this process.
void dial(Loop& loop, asio::ssl::context& tls, const Membership& membership,
          const JobOptions& options, const Caller& caller);

}  // namespace toroid::job
