#include "tools/run/child.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "hal/check.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"
#include "router/threads/system_failure.hpp"

namespace toroid {
namespace {

void reset_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(number, SIG_DFL);
}

/// Executes the program in the child process; never returns. If the program cannot be started,
/// writes errno to the pipe `trouble`.
[[noreturn]] void become(const ChildCommand& command, pid_t launcher, int input, int trouble) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(1);
  ::setpgid(0, 0);
  reset_signals();
  ::dup2(input, STDIN_FILENO);
  if (command.errors >= 0) ::dup2(command.errors, STDERR_FILENO);
  for (const int kept : command.kept) ::fcntl(kept, F_SETFD, 0);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(trouble, &error, sizeof error);
  ::_exit(127);
}

/// Whether the process is in one of the states. Does not reap it, so its id is not reused yet.
bool is_in_state(pid_t process, int states) {
  siginfo_t info{};
  return process > 0 &&
         ::waitid(P_PID, static_cast<id_t>(process), &info, states | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process;
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw RunFailed(open_failure("a pipe", last_error()));
  return {job::Socket(ends[0]), job::Socket(ends[1])};
}

Child::Child(const ChildCommand& command) {
  Pipe trouble = make_pipe();
  const job::Socket nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int input = command.input < 0 ? nothing.fd() : command.input;
  const pid_t launcher = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw RunFailed(start_failure("a process", last_error()));
  if (pid_ == 0) become(command, launcher, input, trouble.in.fd());
  ::setpgid(pid_, pid_);  // both processes call it, since either may run first
  trouble.in.close();
  int error = 0;
  if (::read(trouble.out.fd(), &error, sizeof error) != sizeof error) return;
  reap();
  throw BadInput(fmt::format("cannot run '{}': {}", command.arguments.front(),
                             std::generic_category().message(error)));
}

Child::~Child() {
  signal(SIGKILL);
  if (is_running()) reap();
}

bool Child::has_ended() const {
  return is_in_state(pid_, WEXITED);
}

bool Child::is_stopped() const {
  return is_in_state(pid_, WSTOPPED);
}

void Child::signal(int number) const {
  if (!is_running()) return;
  ::kill(-pid_, number);
  if (number == SIGTERM) ::kill(-pid_, SIGCONT);
}

int Child::reap() {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    continue;
  ofi::remove_shared_files_of(pid_);  // while its id is not free for another process
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

}  // namespace toroid
