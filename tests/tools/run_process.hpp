// Runs a program (default: the command) as a separate process, as a user's shell would.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace toroid::testing {

using Arguments = std::vector<std::string>;

template <typename T>
std::vector<T> operator+(std::vector<T> first, const std::vector<T>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

inline const Arguments kShm = {"--fabric", "shm"};
inline const Arguments kEstimate = {"--plan", "estimate"};

/// How a run ended and what it wrote.
struct Ended {
  int exit_code = -1;  ///< -1 if a signal ended the run
  int signal = 0;
  std::string out;
  std::string err;

  auto err_lines() const { return std::count(err.begin(), err.end(), '\n'); }
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// The directory and the standard streams of a run. An output is collected if it is -1. It is
/// closed if it is kClosed, which only run_process() can do.
struct Surroundings {
  static constexpr int kClosed = -2;
  std::filesystem::path directory = ".";
  int out = -1;
  int err = -1;
  const char* program = TOROID_COMMAND;  ///< run_process() only
  int in = -1;                           ///< standard input; -1 if empty
};

/// A file in memory. All writes append, because writers that share a position could overwrite each
/// other.
class MemoryFile {
 public:
  MemoryFile() { ::fcntl(number_, F_SETFL, O_APPEND); }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int number() const { return number_; }
  std::string content() const {
    std::string content(static_cast<std::size_t>(::lseek(number_, 0, SEEK_END)), '\0');
    if (::pread(number_, content.data(), content.size(), 0) < 0) content = "unreadable";
    return content;
  }

 private:
  int number_ = ::memfd_create("output", MFD_CLOEXEC);
};

/// A run in progress. Its outputs go to memory, so that nobody has to read them meanwhile.
class RunningCommand {
 public:
  explicit RunningCommand(const Arguments& arguments, const Surroundings& at = {}) {
    std::vector<char*> argv{const_cast<char*>(at.program)};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, at.directory.c_str());
    if (at.in == -1)
      ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    else
      connect(actions, 0, at.in, at.in);
    connect(actions, 1, at.out, out_.number());
    connect(actions, 2, at.err, err_.number());
    // Under ASan the leak check at the end takes half of the time of a short run. It reports only
    // memory that the system frees anyway when the process ends.
    ::setenv("LSAN_OPTIONS", "detect_leaks=0", 0);
    const int error = ::posix_spawn(&pid_, argv[0], &actions, attributes(), argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(std::string("cannot run ") + at.program);
  }
  ~RunningCommand() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), wait();
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  /// Standard error so far.
  std::string said() const { return err_.content(); }
  /// Standard output so far.
  std::string printed() const { return out_.content(); }

  Ended wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
    Ended ended{-1, 0, out_.content(), err_.content()};
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    return ended;
  }

 private:
  /// Gives the child the default signal actions, even for signals that this process ignores.
  static const posix_spawnattr_t* attributes() {
    static const posix_spawnattr_t kDefaults = [] {
      posix_spawnattr_t defaults;
      sigset_t all;
      ::sigfillset(&all);
      ::posix_spawnattr_init(&defaults);
      ::posix_spawnattr_setsigdefault(&defaults, &all);
      ::posix_spawnattr_setflags(&defaults, POSIX_SPAWN_SETSIGDEF);
      return defaults;
    }();
    return &kDefaults;
  }

  static void connect(posix_spawn_file_actions_t& actions, int number, int to, int collected) {
    if (to == Surroundings::kClosed)
      ::posix_spawn_file_actions_addclose(&actions, number);
    else
      ::posix_spawn_file_actions_adddup2(&actions, to < 0 ? collected : to, number);
  }

  MemoryFile out_;
  MemoryFile err_;
  pid_t pid_ = -1;
};

/// Runs the command, or `at.program`, as a separate process, for tests of signals, closed streams,
/// other processes or state that a process keeps from its start.
inline Ended run_process(const Arguments& arguments, const Surroundings& at = {}) {
  return RunningCommand(arguments, at).wait();
}

/// The JSON of a run by `run` that must succeed.
template <typename Run>
nlohmann::json json_by(Run run, const Arguments& arguments, const Surroundings& at = {}) {
  const Ended ended = run(arguments + Arguments{"--json", "-"}, at);
  if (ended.exit_code != 0) throw std::runtime_error("the run failed: " + ended.err);
  return ended.json();
}

}  // namespace toroid::testing
