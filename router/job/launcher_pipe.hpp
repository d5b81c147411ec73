// How a process started by `toroid launch` tells the launcher that it joins the job, and that it
// ends in order.
#pragma once

#include <cstdint>
#include <string>

namespace toroid::job {

/// Environment variable that names the pipe to which a process writes words of 4 bytes: its rank
/// when it begins to join, and its rank with kEndsInOrder when it has left the job.
inline constexpr const char* kLauncherPipe = "TOROID_LAUNCHER_PIPE";
inline constexpr std::uint32_t kEndsInOrder = std::uint32_t{1} << 31;
/// The value of that variable: descriptor and inode. The inode shows whether the descriptor still
/// belongs to the pipe.
std::string pipe_text(int pipe);

/// Writes a word to the launcher's pipe. Does nothing if there is no launcher, or if a program
/// between the launcher and this process has closed the pipe.
void tell_launcher(std::uint32_t word);

}  // namespace toroid::job
