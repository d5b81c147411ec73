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

namespace toroid {
namespace {

void reset_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
}

/// Executes the program in the child process; never returns. If the program cannot be started,
/// writes errno to the pipe `trouble`.
[[noreturn]] void become(const ChildCommand& command, pid_t launcher, int input, int trouble) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(1);
  ::setpgid(0, 0);
  reset_signals();
  ::dup2(input, STDIN_FILENO);
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

job::Socket no_input() {
  return job::Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/// Writes a text that fits into the pipe's buffer, so that the write does not block.
void write_all(const job::Socket& pipe, const std::string& text) {
  TOROID_CHECK_LE(text.size(), 4096u);
  [[maybe_unused]] const auto written = ::write(pipe.fd(), text.data(), text.size());
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw RunFailed("too many files are open");
  return {job::Socket(ends[0]), job::Socket(ends[1])};
}

Child::Child(const ChildCommand& command)
    : rank_(command.rank),
      host_(command.host),
      remote_(command.input.has_value()),
      tells_of_end_(command.tells_of_end) {
  Pipe trouble = make_pipe();
  Pipe input = remote_ ? make_pipe() : Pipe{no_input(), {}};
  if (remote_) write_all(input.in, *command.input);
  const pid_t launcher = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw RunFailed(fmt::format("cannot create a process for rank {}", rank_));
  if (pid_ == 0) become(command, launcher, input.out.fd(), trouble.in.fd());
  ::setpgid(pid_, pid_);  // both processes call it, since either may run first
  trouble.in.close();
  input_ = std::move(input.in);
  int error = 0;
  if (::read(trouble.out.fd(), &error, sizeof error) != sizeof error) return;
  ::waitpid(pid_, nullptr, 0);
  throw BadInput(fmt::format("cannot run '{}': {}", command.arguments.front(),
                             std::generic_category().message(error)));
}

void Child::end(int status) {
  running_ = false;
  status_ = status;
  input_.close();
}

void Child::signal(int number) {
  if (running_) ::kill(-pid_, number);
}

int Child::exit_code() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void Child::interrupt(int number) {
  if (remote_)
    input_.close();
  else
    signal(number);
}

void Child::terminate() {
  if (!running_) return;
  told_to_end_ = true;
  interrupt(SIGTERM);
}

void Child::kill() {
  signal(SIGKILL);
}

std::string Child::obituary() const {
  const std::string who = fmt::format("rank {} on {}", rank_, host_);
  const int code = exit_code();
  const bool by_signal = WIFSIGNALED(status_) || (remote_ && code > 128 && code < 128 + 65);
  const char* const why = told_to_end_ ? ", ended by the launcher" : "";
  if (by_signal) return fmt::format("{} was killed by signal {}{}", who, code - 128, why);
  return fmt::format("{} ended with exit code {}{}{}", who, code, why,
                     vanished() ? " in the middle of the run" : "");
}

}  // namespace toroid
