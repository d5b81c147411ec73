// A process that a test starts, possibly in its own namespaces. Every wait for it has a time limit.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/net/file_descriptor.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {

using Milliseconds = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;
/// Variables added to the environment of the test.
using Environment = std::map<std::string, std::string>;

struct ProcessPlace {
  std::vector<int> namespaces = {};  ///< entered in this order; the caller still owns them
  std::filesystem::path directory = std::filesystem::current_path();
};

/// A child process. It is killed when this object is destroyed, together with its own children, or
/// when the thread that started it ends.
class Process {
 public:
  /// The program is looked up in PATH.
  explicit Process(const Arguments& argv, const Environment& more = {},
                   const ProcessPlace& place = {});
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool running() const { return !wait_until(std::chrono::steady_clock::now()); }

  /// How the process ended; none if it is still running at that time.
  std::optional<Ended> wait_until(SteadyTime then) const;
  std::optional<Ended> wait(Milliseconds limit) const {
    return wait_until(std::chrono::steady_clock::now() + limit);
  }
  /// How the process ended; exit code -1, and a note, if it is still running at that time.
  Ended end_by(SteadyTime then) const {
    return wait_until(then).value_or(Ended{-1, 0, out(), err() + "(still running)"});
  }
  Ended end_within(Milliseconds limit) const {
    return end_by(std::chrono::steady_clock::now() + limit);
  }
  /// The output so far.
  std::string out() const;
  std::string err() const;

 private:
  pid_t pid_ = -1;
  FileDescriptor out_;
  FileDescriptor err_;
  FileDescriptor handle_;  ///< readable once the process has ended
};

/// Exit code of the scripts with-slurm and with-sshd if a requirement is missing.
inline constexpr int kRequirementMissing = 77;

/// Whether the process exists and is not a zombie.
bool alive(pid_t pid);

/// Runs a set-up command. Throws, with its error output, unless it succeeds.
void run_tool(const Arguments& argv, const ProcessPlace& place = {});

}  // namespace toroid::testing
