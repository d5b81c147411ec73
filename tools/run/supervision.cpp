#include "tools/run/supervision.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "hal/check.hpp"
#include "hal/process_end.hpp"
#include "router/threads/system_failure.hpp"
#include "tools/files/file_descriptor.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

int complain(const std::string& what) {
  std::fputs(("toroid: " + one_line(what) + "\n").c_str(), stderr);
  return 1;
}

/// Blocks the signals that the parent waits for.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    ::sigemptyset(&awaited_);
    ::sigaddset(&awaited_, SIGCHLD);
    for (const int number : signals_that_end()) ::sigaddset(&awaited_, number);
    ::sigprocmask(SIG_BLOCK, &awaited_, &before_);
  }
  void unblock() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  siginfo_t next() const {
    siginfo_t info{};
    while (::sigwaitinfo(&awaited_, &info) < 0) continue;
    return info;
  }

 private:
  sigset_t awaited_{};
  sigset_t before_{};
};

/// Returns the status of waitpid() when the child has ended. Each signal that is passed on carries
/// its number, from 1, among the signals of its kind.
int wait_and_pass_on(pid_t child, const AwaitedSignals& signals) {
  int interrupts = 0, terminations = 0, status = 0;
  for (;;) {
    const siginfo_t info = signals.next();
    if (info.si_signo != SIGCHLD) {
      const int number = info.si_signo == SIGINT ? ++interrupts : ++terminations;
      ::sigqueue(child, info.si_signo, {.sival_int = number});
    } else if (::waitpid(child, &status, WNOHANG) == child) {
      return status;
    }
  }
}

/// Whether a user, or the reader of a pipe, ends programs with this signal and knows why.
bool is_usual(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGPIPE;
}

/// Ends this process as the child has ended, without another core dump.
int end_by(int number, const AwaitedSignals& signals, const std::string& libraries) {
  if (!is_usual(number))
    complain(fmt::format("the run with policy {} was ended by signal {} ({})", libraries, number,
                         ::strsignal(number)));
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(number, SIG_DFL);
  signals.unblock();
  ::raise(number);
  return 128 + number;
}

/// The end of the pipe to the parent, in the child.
int to_parent = -1;

void tell_parent(int code) {
  [[maybe_unused]] const auto written = ::write(to_parent, &code, sizeof code);
}

/// Runs `work` and writes its exit code into the pipe, because a destructor in the library may
/// still end the process with another one. If the command ends the process itself, and says why, it
/// writes into the pipe too.
[[noreturn]] void be_child(pid_t parent, const AwaitedSignals& signals, int pipe,
                           const std::function<int()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  signals.unblock();
  to_parent = pipe;
  on_end_process(tell_parent);
  const int code = work();
  tell_parent(code);
  std::exit(code);
}

/// The exit code that `work` has returned; none if the child ended before.
std::optional<int> returned_code(int pipe) {
  int code = 0;
  if (::read(pipe, &code, sizeof code) != sizeof code) return std::nullopt;
  return code;
}

}  // namespace

int run_supervised(const std::function<int()>& work, const std::string& libraries) {
  ::signal(SIGCHLD, SIG_DFL);  // a caller may ignore it, and then no child can be waited for
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return complain(open_failure("a pipe", last_error()));
  const FileDescriptor from(ends[0]);
  const FileDescriptor to(ends[1]);
  const AwaitedSignals signals;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return complain(start_failure("a process", last_error()));
  if (child == 0) be_child(parent, signals, to.number(), work);
  const int status = wait_and_pass_on(child, signals);
  if (WIFSIGNALED(status)) return end_by(WTERMSIG(status), signals, libraries);
  if (const std::optional<int> code = returned_code(from.number())) return *code;
  return complain(fmt::format(
      "policy {}: its library ended the process with exit code {} before the run was over",
      libraries, WEXITSTATUS(status)));
}

}  // namespace toroid
