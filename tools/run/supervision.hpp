// Runs the command in a child process, so that code which ends the process cannot end the run
// unnoticed.
#pragma once

#include <functional>
#include <string>

namespace toroid {

/// Runs `work` in a child process and returns the exit code that `work` returns. If the child ends
/// before `work` has returned, and not by end_process(), prints a message and returns 1;
/// `libraries` are the files that the message names.
///
/// **Signals:** SIGINT, SIGTERM and SIGHUP are passed on to the child. If a signal ends the child,
/// the same signal ends this process. The child ends when this process ends.
///
/// REQUIRES: this process has one thread; catch_interrupts() was called.
int run_supervised(const std::function<int()>& work, const std::string& libraries);

}  // namespace toroid
