// Ends the process where a run cannot return, for example because a program or a policy's function
// does not.
#pragma once

#include <string_view>

namespace toroid {

/// Writes "toroid: LINE" to standard error and ends the process with this exit code, without
/// destructors and without the locks of the streams of C, which a stuck thread may hold. May be
/// called in a signal handler.
[[noreturn]] void end_process(std::string_view line, int code = 1) noexcept;

/// end_process() first calls `tell` with the exit code, so that a parent process can tell such an
/// end from others. Null: nothing is called, as at first.
void on_end_process(void (*tell)(int code)) noexcept;

}  // namespace toroid
