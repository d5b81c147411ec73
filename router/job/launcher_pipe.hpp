// How a process started by `toroid launch` tells the launcher that it joins the job, and that it
// ends in order.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace toroid::job {

/// Environment variable that names the pipe to which a process writes words of 4 bytes: its rank
/// when it begins to join, and its rank with kEndsInOrder when it has left the job. The launcher
/// alone has the pipe's other end, so a process can see that the launcher has gone.
inline constexpr const char* kLauncherPipe = "TOROID_LAUNCHER_PIPE";
inline constexpr std::uint32_t kEndsInOrder = std::uint32_t{1} << 31;

struct LauncherPipe {
  int fd = -1;         ///< -1 if there is no launcher, or if a program between it and this process
                       ///< has closed the pipe
  pid_t launcher = 0;  ///< its process id in its own namespace
};

/// The value of that variable, for a pipe of this process: descriptor, inode and process id. The
/// inode shows whether the descriptor still belongs to the pipe.
std::string pipe_text(int pipe);
/// This process's pipe to its launcher.
LauncherPipe launcher_pipe();
/// Whether poll() finds something to report: on a pipe to write to, that its other end is closed;
/// on a pidfd, that the process has ended.
bool has_ended(int fd);

/// Writes a word to the launcher's pipe. Does nothing if there is no launcher.
void tell_launcher(std::uint32_t word);

}  // namespace toroid::job
