// The processes of a run on one host, as the launcher sees them: its own children, or those of a
// launcher on another host, which reports what happens to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include "tools/run/child.hpp"

namespace toroid {

inline constexpr int kLookPeriod = 50;  ///< between two looks at processes, in milliseconds
inline constexpr std::chrono::milliseconds kTimeToEnd{1000};  ///< after SIGTERM, and after SIGKILL

/// What the processes of one host are to run, and what they are told of the job.
struct LaunchShare {
  std::string host;
  unsigned first = 0;  ///< rank of the first one
  unsigned count = 0;
  unsigned size = 0;  ///< number of processes on all hosts
  std::string master;
  std::uint64_t port = 0;
  std::string key;
  std::string version;    ///< of the launcher, which is to be the same everywhere
  std::string directory;  ///< empty: the present one
  Variables variables;    ///< those that the user passes on
  std::vector<std::string> command;
  bool is_toroid = false;  ///< the command is toroid itself, which tells the launcher of its end

  bool has(unsigned rank) const { return rank >= first && rank - first < count; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchShare, host, first, count, size, master, port, key,
                                   version, directory, variables, command, is_toroid)

/// The share in CBOR, whose strings may have any bytes, behind a line with its size.
std::string encode(const LaunchShare& share);
/// Takes an encoded share from the front of `bytes`; nullopt if there is no whole one yet. Throws
/// BadInput.
std::optional<LaunchShare> take_share(std::string& bytes);

/// Something that has happened to a process. `answers`: the host has been reached. `lost`: the
/// connection to its host has ended before the process.
struct Report {
  enum What { answers, starts, joins, leaves, stops, continues, ends, lost };
  unsigned rank = 0;
  What what = answers;
  /// `starts`: the process id. `ends`, `lost`: the status of waitpid(), of the process or of the
  /// ssh with which it was lost.
  int status = 0;
};

/// Separates reports from the text into which they are written: the standard error of a launcher on
/// another host, which its processes share.
class ReportReader {
 public:
  struct Result {
    std::string text;
    std::vector<Report> reports;
  };
  Result read(std::string_view bytes);

 private:
  std::string begun_;  ///< a report whose end has not been read
};
/// The report as ReportReader reads it. It is short enough that one write() is not interrupted by
/// other writers to the same pipe.
std::string text_of(const Report& report);

class HostProcesses {
 public:
  virtual ~HostProcesses() = default;
  /// Throws BadInput if a program cannot be run.
  virtual void start() = 0;
  /// A descriptor that becomes readable when there is news; -1 if there is none. The end of a child
  /// is announced by SIGCHLD.
  virtual int descriptor() const = 0;
  virtual std::vector<Report> news() = 0;
  /// Whether processes run, or what they have written is still on its way.
  virtual bool is_running() const = 0;
  /// Sends a signal to all processes of the host that run.
  virtual void signal(int number) = 0;
  /// Gives up waiting for a host that does not answer.
  virtual void abandon() {}
};

}  // namespace toroid
