#include "tests/net/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace toroid::testing {
namespace {

constexpr int kCannotStart = 127;  // the exit code that shells use

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const Environment& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + '=' + value);
  return all;
}

/// All data for the child, prepared before the fork: after a fork in a multi-threaded process only
/// system calls are safe.
struct Child {
  char* const* argv;
  char* const* environment;
  const std::vector<int>& namespaces;
  const char* directory;
  int out;
  int err;
  pid_t parent;
};

[[noreturn]] void give_up(const char* what) {
  const char* const error = ::strerrordesc_np(errno);
  for (const char* const text : {"cannot start: ", what, ": ", error, "\n"})
    if (::write(2, text, std::char_traits<char>::length(text)) < 0) break;
  ::_exit(kCannotStart);
}

void connect_files(const Child& child) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(nothing, 0) < 0 || ::dup2(child.out, 1) < 0 || ::dup2(child.err, 2) < 0)
    give_up("dup2");
}

/// Restores the default signal handling, whatever signals the test ignores.
void reset_signals() {
  for (int number = 1; number < SIGRTMIN; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Child& child) {
  connect_files(child);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) give_up("the parent is gone");
  reset_signals();
  // A thread that shares its working directory with another thread, such as one started by a
  // sanitizer, cannot enter a mount namespace.
  if (!child.namespaces.empty() && ::unshare(CLONE_FS) != 0) give_up("unshare");
  for (const int space : child.namespaces)
    if (::setns(space, 0) != 0) give_up("setns");
  // Entering a mount namespace changes the working directory.
  if (::chdir(child.directory) != 0) give_up("chdir");
  ::execvpe(child.argv[0], child.argv, child.environment);
  give_up(child.argv[0]);
}

std::string content_of(int file) {
  std::string content(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  if (::pread(file, content.data(), content.size(), 0) < 0) content = "unreadable";
  return content;
}

/// Rounded up, so that a wait does not end early.
int milliseconds_until(SteadyTime then) {
  const auto left = std::chrono::ceil<Milliseconds>(then - std::chrono::steady_clock::now());
  return left.count() < 0 ? 0 : static_cast<int>(left.count());
}

}  // namespace

Process::Process(const Arguments& argv, const Environment& more, const ProcessPlace& place)
    : out_(::memfd_create("out", MFD_CLOEXEC)), err_(::memfd_create("err", MFD_CLOEXEC)) {
  const std::vector<std::string> environment = environment_with(more);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  const Child child{arguments.data(), variables.data(), place.namespaces, place.directory.c_str(),
                    out_.get(),       err_.get(),       ::getpid()};
  pid_ = succeeded(::fork(), "fork");
  if (pid_ == 0) become(child);
  ::setpgid(pid_, pid_);  // parent and child both call it: either may come first
  handle_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      handle_(std::move(other.handle_)) {}

Process::~Process() {
  if (pid_ < 0) return;
  // Not yet reaped, so the process and group numbers are still valid.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void Process::signal(int number) const {
  ::kill(pid_, number);
}

std::optional<Ended> Process::wait_until(SteadyTime then) const {
  pollfd ended{handle_.get(), POLLIN, 0};
  while (::poll(&ended, 1, milliseconds_until(then)) < 0 && errno == EINTR) continue;
  siginfo_t info{};
  // WNOWAIT: the state can be read again, and the process number is not reused.
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_pid != pid_) return std::nullopt;
  const bool exited = info.si_code == CLD_EXITED;
  return Ended{exited ? info.si_status : -1, exited ? 0 : info.si_status, out(), err()};
}

std::string Process::out() const {
  return content_of(out_.get());
}
std::string Process::err() const {
  return content_of(err_.get());
}

bool alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(file, text) && text.find(") Z") == std::string::npos;
}

void run_tool(const Arguments& argv, const ProcessPlace& place) {
  const std::optional<Ended> ended = Process(argv, {}, place).wait(Milliseconds(10000));
  if (ended && ended->exit_code == 0) return;
  std::string command;
  for (const std::string& argument : argv) command += argument + ' ';
  throw std::runtime_error(command + "failed: " + (ended ? ended->err : "takes too long"));
}

}  // namespace toroid::testing
