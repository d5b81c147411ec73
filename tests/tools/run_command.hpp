// Calls the command as a function of this process.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "tests/tools/run_process.hpp"
#include "tools/command/toroid_main.hpp"

#ifdef TOROID_SANITIZED
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace toroid::testing {

/// The standard streams and the directory of this process, changed for one call of the command.
class CalledCommand {
 public:
  /// REQUIRES: `at` has the default program and no closed stream.
  explicit CalledCommand(const Surroundings& at)
      : directory_(std::filesystem::current_path()),
        input_(at.in < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : ::dup(at.in)),
        kept_{put(0, input_), put(1, at.out < 0 ? out_.number() : at.out),
              put(2, at.err < 0 ? err_.number() : at.err)} {
    std::filesystem::current_path(at.directory);
    current_ = this;
    std::signal(SIGABRT, show_what_was_said);
    send_sanitizers_to(kept_[2]);
  }
  ~CalledCommand() {
    send_sanitizers_to(2);
    std::signal(SIGABRT, SIG_DFL);
    std::filesystem::current_path(directory_);
    for (int stream = 0; stream < 3; ++stream) {
      ::dup2(kept_[static_cast<std::size_t>(stream)], stream);
      ::close(kept_[static_cast<std::size_t>(stream)]);
    }
    ::close(input_);
  }
  CalledCommand(const CalledCommand&) = delete;
  CalledCommand& operator=(const CalledCommand&) = delete;

  Ended run(const Arguments& arguments) const {
    const int code = run_program(arguments);
    std::fflush(stdout);
    std::cout.flush();
    std::clearerr(stdin);
    return {code, 0, out_.content(), err_.content()};
  }

 private:
  /// Replaces the stream by `file` and returns a copy of the old one.
  static int put(int stream, int file) {
    std::fflush(nullptr);
    const int kept = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
    ::dup2(file, stream);
    return kept;
  }

  /// Prints what the command has written to standard error. A failed check aborts this process, and
  /// its message would be lost with the file in memory.
  static void show_what_was_said(int) {
    std::array<char, 4096> text;
    const ssize_t size = ::pread(current_->err_.number(), text.data(), text.size(), 0);
    if (size > 0 && ::write(current_->kept_[2], text.data(), static_cast<std::size_t>(size)) < 0)
      return;
  }
  /// Directs the reports of sanitizers to `file`. A child that is forked meanwhile reports to its
  /// own standard error instead. In the child `file` is closed, so a report would otherwise go to a
  /// new file in the current directory, named after the process.
  static void send_sanitizers_to([[maybe_unused]] int file) {
#ifdef TOROID_SANITIZED
    static const int kAtFork [[maybe_unused]] =
        ::pthread_atfork(nullptr, nullptr, [] { send_sanitizers_to(2); });
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::size_t>(file)));
#endif
  }

  static inline const CalledCommand* current_ = nullptr;

  std::filesystem::path directory_;
  MemoryFile out_;
  MemoryFile err_;
  int input_;
  std::array<int, 3> kept_;
};

/// Calls the command in this process and collects what it prints. One call at a time.
inline Ended run_command(const Arguments& arguments, const Surroundings& at = {}) {
  if (std::string_view(at.program) != TOROID_COMMAND ||
      std::min(at.out, at.err) == Surroundings::kClosed)
    throw std::logic_error("run_command() can neither run another program nor close a stream");
  const CalledCommand called(at);
  return called.run(arguments);
}

/// The JSON of a run that must succeed.
inline nlohmann::json json_of(const Arguments& arguments, const Surroundings& at = {}) {
  return json_by(run_command, arguments, at);
}

}  // namespace toroid::testing
