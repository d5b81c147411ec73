// The `toroid` command.
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "hal/process_end.hpp"
#include "tools/command/toroid_main.hpp"
#include "tools/options/policy_plugin.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/supervision.hpp"

namespace {

/// Opens /dev/null in place of each standard descriptor that the caller closed, so that no file
/// that is opened later gets the descriptor's number. The descriptor is read-only, so writes to it
/// fail.
void hold_standard_descriptors() {
  int next = ::open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO) next = ::dup(next);
  if (next >= 0) ::close(next);
}

std::terminate_handler usual_end;

/// Where memory is short, code that must not throw may have to end the process: a job's thread,
/// for example, that reports a failure. The user then reads a line instead of a signal's number.
[[noreturn]] void end_without_memory() {
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::bad_alloc&) {
    toroid::end_process("not enough memory");
  } catch (...) {  // the usual end names it
  }
  usual_end();
  std::abort();
}

/// Runs the command. If it may load a policy's library, which can end the process, another process
/// checks how it ends: the launcher or, without a launcher, a parent process.
int run(const std::vector<std::string>& arguments) {
  const auto work = [&] { return toroid::run_program(arguments); };
  if (toroid::is_checked_by_launcher()) {
    toroid::note_launcher(::getppid());
    const int code = work();
    toroid::tell_launcher_of_end();
    return code;
  }
  const std::vector<std::string> libraries = toroid::policy_libraries_in(arguments);
  const bool launches = !arguments.empty() && arguments.front() == "launch";
  if (libraries.empty() || launches) return work();
  return toroid::run_supervised(work, fmt::format("{}", fmt::join(libraries, ", ")));
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  usual_end = std::set_terminate(end_without_memory);
  toroid::catch_interrupts();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f then fails with a reason
  return run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
