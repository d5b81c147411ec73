// Messages from a launcher while the job runs.
#pragma once

#include <functional>
#include <string>

namespace toroid::job {

/// The launcher's reports of processes that have died. A launcher notices more than a connection
/// does: a host that loses power does not close its connections.
class LauncherEvents {
 public:
  using Died = std::function<void(unsigned rank, const std::string& why)>;

  virtual ~LauncherEvents() = default;
  /// From now on calls `died`, from any thread, for each dead process that the launcher reports.
  virtual void listen(Died died) = 0;
  /// After this returns, `died` is not called any more. `failed`: the job has failed, so the
  /// launcher may be ending all processes and may not answer them any more.
  virtual void stop(bool failed) noexcept = 0;
};

}  // namespace toroid::job
