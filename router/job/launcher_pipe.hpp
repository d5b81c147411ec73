// How a process of `toroid launch` tells the launcher that it joins the others of its run.
#pragma once

#include <string>

namespace toroid::job {

/// Variable that names the pipe into which a process writes its rank, 4 bytes, when it begins to
/// join.
inline constexpr const char* kLauncherPipe = "TOROID_LAUNCHER_PIPE";
/// The value of that variable: descriptor and inode, since another file may have taken the number.
std::string pipe_text(int pipe);

}  // namespace toroid::job
