// Files in /dev/shm by which libfabric's provider `shm` connects the processes of a host.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"

namespace toroid::ofi {

/// The files of a run's processes over `shm`, some 16 MiB each. A process that is killed leaves its
/// own behind.
///
/// **Rule:** where the job has failed, the end of this object removes the files of all its
/// processes: what still runs is about to end, and keeps what it has mapped. A file that has taken
/// another's name since is left alone. Owned by the fabric, in the program's thread.
class SharedFiles {
 public:
  explicit SharedFiles(const Job& job) : job_(job) {}
  ~SharedFiles();
  SharedFiles(const SharedFiles&) = delete;
  SharedFiles& operator=(const SharedFiles&) = delete;

  /// Notes the files of endpoints with these addresses, as fi_getname() gives them; those of other
  /// providers have none.
  void note(std::span<const Blob> addresses);

 private:
  struct File {
    std::filesystem::path path;
    dev_t device;
    ino_t inode;
  };

  const Job& job_;
  std::vector<File> files_;
};

/// Removes the files that a process of this user has left behind. REQUIRES: it has ended, and its
/// id is not in use again.
void remove_shared_files_of(pid_t process);

}  // namespace toroid::ofi
