#include "router/job/launcher_watch.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <ios>
#include <memory>
#include <string>

#include "router/job/launcher_pipe.hpp"
#include "router/job/listening_socket.hpp"
#include "router/placement/launcher_environment.hpp"

namespace toroid::job {
namespace {

/// The signal that this process gets when its parent ends. While this object exists, it gets none.
class NoSignalOfDeath {
 public:
  NoSignalOfDeath() {
    ::prctl(PR_GET_PDEATHSIG, &signal_);
    ::prctl(PR_SET_PDEATHSIG, 0);
  }
  ~NoSignalOfDeath() { ::prctl(PR_SET_PDEATHSIG, signal_); }
  NoSignalOfDeath(const NoSignalOfDeath&) = delete;
  NoSignalOfDeath& operator=(const NoSignalOfDeath&) = delete;

 private:
  int signal_ = 0;
};

/// Whether a process was started with this variable. False if that is unknown, because the process
/// belongs to another user.
bool was_started_with(pid_t process, const std::string& variable) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  for (std::string one; std::getline(file, one, '\0');)
    if (one == variable) return true;
  return false;
}

/// The parent of a process; 0 if unknown.
pid_t parent_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PPid:")) return std::atoi(line.c_str() + sizeof "PPid:");
  return 0;
}

/// The process that has set this variable, which this process has.
pid_t launcher_that_set(const char* name) {
  const std::string variable = fmt::format("{}={}", name, std::getenv(name));
  pid_t process = ::getppid();
  while (process > 0 && was_started_with(process, variable)) process = parent_of(process);
  return process;
}

/// A descriptor on which has_ended() is true once the launcher has gone.
Socket descriptor_of(pid_t launcher) {
  return Socket(launcher > 1 ? static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0)) : -1);
}

Socket launcher_by_variables() {
  const char* const name = mark_of_launcher();
  return name == nullptr ? Socket() : descriptor_of(launcher_that_set(name));
}

/// The copy of the descriptor stays valid if the program closes the pipe.
std::function<bool()> watch(const LauncherPipe& pipe) {
  const auto copy = std::make_shared<Socket>(::fcntl(pipe.fd, F_DUPFD_CLOEXEC, 0));
  if (!*copy) return {};
  const bool is_child = ::getppid() == pipe.launcher;
  const auto no_signal = is_child ? std::make_shared<NoSignalOfDeath>() : nullptr;
  return [copy, no_signal] { return has_ended(copy->fd()); };
}

}  // namespace

std::function<bool()> watch_launcher() {
  if (const LauncherPipe pipe = launcher_pipe(); pipe.fd >= 0) return watch(pipe);
  const auto launcher = std::make_shared<Socket>(launcher_by_variables());
  if (!*launcher) return {};
  return [launcher] { return has_ended(launcher->fd()); };
}

}  // namespace toroid::job
