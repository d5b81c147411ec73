// The segment in /dev/shm through which libfabric's provider `shm` reaches an endpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace toroid::ofi {

/// The room in /dev/shm, in MiB.
struct DevShmRoom {
  std::uint64_t free = 0;
  std::uint64_t all = 0;
};
/// None if there is no /dev/shm.
std::optional<DevShmRoom> room_in_dev_shm();

/// Calls `create`, which makes the file `name` in /dev/shm, maps and fills it, and returns 0; then
/// takes memory for all its pages. Without that, the process that is first to use a page for which
/// there is no room would be killed by SIGBUS. Returns the result of `create` if that is not 0.
/// If there is no room for a page, calls `remove` and throws RunFailed, which says what is full.
/// REQUIRES: `create` and `remove` touch the segment only from this thread.
int create_segment(const std::string& name, const std::function<int()>& create,
                   const std::function<void()>& remove);

/// Removes the name of a segment. What has mapped it keeps it, and the memory is freed when the
/// last of them ends, however it ends. REQUIRES: nobody will open it any more.
void unlink_segment(const std::string& name);

}  // namespace toroid::ofi
