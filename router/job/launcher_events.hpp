// What a launcher tells a process while the job runs.
#pragma once

#include <functional>
#include <string>

namespace toroid::job {

/// The launcher's word on processes that have died. A launcher sees more than a connection does: a
/// host that has lost its power closes none.
class LauncherEvents {
 public:
  using Died = std::function<void(unsigned rank, const std::string& why)>;

  virtual ~LauncherEvents() = default;
  /// From now on calls `died` for each process that the launcher reports, from any thread.
  virtual void listen(Died died) = 0;
  /// On return `died` is not called any more. `failed`: the job has; the launcher may be ending all
  /// processes, and answers none of them.
  virtual void stop(bool failed) noexcept = 0;
};

}  // namespace toroid::job
