// Notices that the launcher of this process has gone, for example because SIGKILL ended it.
#pragma once

#include <functional>

namespace toroid::job {

/// A function that says whether this process's launcher has gone. Empty if there is no launcher.
///
/// **`toroid launch`** holds one end of a pipe, so it is watched through any number of shells. It
/// has asked the kernel to kill its children when it ends. As long as the function exists, this is
/// undone for this process, which then can say why it ends, and can clean up.
/// **Other launchers** set variables (placement/launcher_environment.hpp). The launcher is the
/// nearest ancestor on this host that was not itself started with the same variable. A shell from
/// which a user starts processes is no launcher: it may exit while they run.
std::function<bool()> watch_launcher();

}  // namespace toroid::job
