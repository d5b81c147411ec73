#include "tools/lab/policy_check/isolated_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/process_end.hpp"
#include "router/threads/system_failure.hpp"
#include "tools/files/file_descriptor.hpp"
#include "tools/run/interruption.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr char kField = '\t';

std::string field(std::string_view text) {
  return one_line(std::string(text));  // without tabs and line breaks
}

/// Prepares the child process: it prints nothing, dumps no core and dies with its parent.
void settle_in(int said) {
  on_end_process(nullptr);  // the end of this process is not that of the command
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
}

[[noreturn]] void work_and_end(int to, int said, const std::function<void(ProbeReport&)>& work) {
  settle_in(said);
  ProbeReport report(to);
  try {
    work(report);
  } catch (const BadInput& refusal) {
    report.value("refusal", refusal.what());
  } catch (const std::exception& error) {
    report.breaks({"throws", "", error.what()});
  } catch (...) {
    report.breaks({"throws", "", "an object that is not a std::exception"});
  }
  report.done();
  ::_exit(0);
}

/// The first line of the process's standard error, to which sanitizers and failed checks report.
std::string first_line(int said) {
  std::string text(4096, '\0');
  const ssize_t got = ::pread(said, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return field(text.substr(0, text.find('\n')));
}

class ProbeReader {
 public:
  void take(std::string_view bytes) {
    rest_ += bytes;
    for (std::size_t end; (end = rest_.find('\n')) != std::string::npos;) {
      line(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
  }
  bool is_done() const { return done_; }
  ProbeResult& result() { return result_; }
  void add(const std::string& kind, const std::string& what) {
    result_.breakages.push_back({kind, result_.where, what});
  }

 private:
  void line(const std::string& text) {
    const std::vector<std::string> parts = split(text, kField);
    if (parts.front() == "done") done_ = true;
    if (parts.front() == "begin") {
      result_.where = parts[1];
      ++result_.cases;
    }
    if (parts.front() == "breaks")
      result_.breakages.push_back(
          {parts[1], parts[2].empty() ? result_.where : parts[2], parts[3]});
    if (parts.front() == "value" && parts[1] == "refusal") result_.refusal = parts[2];
    if (parts.front() == "value") result_.values[parts[1]] = parts[2];
  }

  std::string rest_;
  bool done_ = false;
  ProbeResult result_;
};

/// The remaining time of the current case.
class CaseTime {
 public:
  explicit CaseTime(double limit) : limit_(std::min(limit, kLongest)) {}
  /// Remaining milliseconds, rounded up. Each case has the whole limit.
  int left(unsigned cases) {
    const auto now = std::chrono::steady_clock::now();
    if (cases != cases_) began_ = now;
    cases_ = cases;
    const double gone = std::chrono::duration<double>(now - began_).count();
    return static_cast<int>(std::ceil(std::max(limit_ - gone, 0.0) * 1000));
  }

 private:
  static constexpr double kLongest = 1e6;  ///< seconds; in milliseconds it fits poll()
  double limit_;
  unsigned cases_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Reads bytes, if any come before the time is over. Returns whether to go on.
bool read_some(int from, CaseTime& time, ProbeReader& reader, bool& hung) {
  pollfd ready{from, POLLIN, 0};
  const int events = ::poll(&ready, 1, time.left(reader.result().cases));
  if (events < 0 && errno == EINTR) {
    throw_if_interrupted();
    return true;
  }
  if (events == 0) hung = true;
  if (events <= 0) return false;
  char bytes[4096];
  const ssize_t got = ::read(from, bytes, sizeof bytes);
  if (got <= 0) return false;
  reader.take({bytes, static_cast<std::size_t>(got)});
  return true;
}

std::string end_of(int status, const std::string& said) {
  std::string text = WIFSIGNALED(status)
                         ? fmt::format("{}", ::strsignal(WTERMSIG(status)))
                         : fmt::format("the process ended with exit code {}", WEXITSTATUS(status));
  return said.empty() ? text : text + ": " + said;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/// Kills the child process if an exception ends the reading.
struct KilledAtTheEnd {
  pid_t child;
  bool ended = false;
  ~KilledAtTheEnd() {
    if (!ended) ::kill(child, SIGKILL), wait_for(child);
  }
};

}  // namespace

void ProbeReport::line(std::string text) const {
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(to_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void ProbeReport::begin(std::string_view where) {
  line(fmt::format("begin{}{}", kField, field(where)));
}
void ProbeReport::breaks(const Breakage& breakage) {
  line(fmt::format("breaks{0}{1}{0}{2}{0}{3}", kField, field(breakage.kind), field(breakage.where),
                   field(breakage.what)));
}
void ProbeReport::value(std::string_view name, std::string_view text) {
  line(fmt::format("value{0}{1}{0}{2}", kField, field(name), field(text)));
}
void ProbeReport::done() {
  line("done");
}

ProbeResult run_probe(double limit, const std::function<void(ProbeReport&)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw RunFailed("cannot make a pipe");
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const FileDescriptor said(::memfd_create("said", MFD_CLOEXEC));
  if (!said.is_open()) throw RunFailed("cannot make a file in memory");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw RunFailed(start_failure("a process", {errno, std::generic_category()}));
  if (child == 0) work_and_end(to.number(), said.number(), work);
  to = FileDescriptor();
  KilledAtTheEnd process{child};
  ProbeReader reader;
  CaseTime time(limit);
  bool hung = false;
  while (!reader.is_done() && read_some(from.number(), time, reader, hung)) continue;
  if (hung || reader.is_done()) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  process.ended = true;
  if (hung) reader.add("hangs", fmt::format("no answer within {} s", limit));
  if (!hung && !reader.is_done()) reader.add("crashes", end_of(status, first_line(said.number())));
  return std::move(reader.result());
}

}  // namespace toroid
