// The files in /dev/shm through which libfabric's provider `shm` connects the processes of a host.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"

namespace toroid::ofi {

/// The files that the provider `shm` makes for the processes of a run, about 16 MiB each. A killed
/// process leaves its file behind.
///
/// **Rule:** if the job has failed, the destructor removes the files of all its processes.
/// Processes that still run are about to end, and their mappings stay valid. If a newer file has
/// taken the name of such a file, it is left alone. Owned by the fabric, in the program's thread.
class DevShmCleanup {
 public:
  explicit DevShmCleanup(const Job& job) : job_(job) {}
  ~DevShmCleanup();
  DevShmCleanup(const DevShmCleanup&) = delete;
  DevShmCleanup& operator=(const DevShmCleanup&) = delete;

  /// Notes the files of endpoints with these addresses, as returned by fi_getname(). Addresses of
  /// other providers have no files.
  void note(std::span<const Blob> addresses);

 private:
  struct File {
    std::filesystem::path path;
    dev_t device;
    ino_t inode;
  };

  Job job_;
  std::vector<File> files_;
};

/// Removes the files that a process of this user has left behind. REQUIRES: the process has ended,
/// and its id has not been reused.
void remove_shared_files_of(pid_t process);

}  // namespace toroid::ofi
