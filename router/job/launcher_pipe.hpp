// How a process started by `toroid launch` tells the launcher that it joins the job.
#pragma once

#include <string>

namespace toroid::job {

/// Environment variable that names the pipe to which a process writes its rank, 4 bytes, when it
/// begins to join.
inline constexpr const char* kLauncherPipe = "TOROID_LAUNCHER_PIPE";
/// The value of that variable: descriptor and inode. The inode shows whether the descriptor still
/// belongs to the pipe.
std::string pipe_text(int pipe);

}  // namespace toroid::job
