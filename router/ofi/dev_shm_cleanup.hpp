// This user's files in /dev/shm: their names, and the removal of those that dead processes left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace toroid::ofi {

inline constexpr const char* kDevShm = "/dev/shm/";

/// A name for a new file of this process in /dev/shm, without the directory:
/// toroid-NAMESPACE-PID-START-SESSION-RANK-COUNT. The first three words tell whether the owner is
/// alive: its pid namespace, its id there, and its start. No two files have one name, in whichever
/// pid namespaces their owners are. `session`, `rank`: of the process in its job.
std::string new_shared_file_name(std::uint64_t session, unsigned rank);

/// Number of this process's pid namespace; 0 if it is unknown. Processes in different namespaces
/// have different ideas of what a process id means.
std::uint64_t pid_namespace();

/// Removes the files that a process of this user and pid namespace has left. REQUIRES: the process
/// has ended, and its id has not been reused.
void remove_shared_files_of(pid_t process);

/// Removes the files of all processes of this user and pid namespace that do not exist any more.
void remove_shared_files_of_the_dead();

}  // namespace toroid::ofi
