// A process that a test starts, perhaps in namespaces of its own, and never waits for without
// limit.
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
/// Added to the environment of the test.
using Environment = std::map<std::string, std::string>;

struct ProcessPlace {
  std::vector<int> namespaces = {};  ///< to enter, in this order; they stay the caller's
  std::filesystem::path directory = std::filesystem::current_path();
};

/// It and its children die with this object, and with the thread that made it.
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

  /// How it ended; nothing if it is still running then.
  std::optional<Ended> wait_until(SteadyTime then) const;
  std::optional<Ended> wait(Milliseconds limit) const {
    return wait_until(std::chrono::steady_clock::now() + limit);
  }
  /// What it has written so far.
  std::string out() const;
  std::string err() const;

 private:
  pid_t pid_ = -1;
  FileDescriptor out_;
  FileDescriptor err_;
  FileDescriptor handle_;  ///< readable once it has ended
};

/// Neither gone nor waiting to be reaped.
bool alive(pid_t pid);

/// For set-up commands: throws, with what it wrote, unless it succeeds.
void run_tool(const Arguments& argv, const ProcessPlace& place = {});

}  // namespace toroid::testing
