// Jobs on the loopback whose processes are threads or child processes of the test.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/listening_socket.hpp"
#include "router/termination/detector.hpp"

namespace toroid::testing {

using std::chrono::milliseconds;

/// Time limits long enough for a busy machine; for tests that never wait until a limit is over.
inline JobOptions patient() {
  return {.patience = milliseconds(60000),
          .heartbeat = milliseconds(100),
          .silence = milliseconds(30000)};
}

/// For tests that wait until a silent process counts as lost: the limit is fifty heartbeats, more
/// than a living process misses.
inline JobOptions soon_worried() {
  return {.patience = milliseconds(60000),
          .heartbeat = milliseconds(20),
          .silence = milliseconds(1000)};
}

/// A wait that should not time out in any test.
inline constexpr milliseconds kLong{60000};

inline termination::MemberReport at_rest(std::uint64_t injected, std::uint64_t delivered) {
  return {.passive = true, .injected = injected, .delivered = delivered};
}

/// Bootstraps as a launcher would provide them. Process 0 listens already.
inline std::vector<Bootstrap> bootstraps(unsigned size) {
  job::Socket listener = job::listen_on("127.0.0.1", 0);
  std::vector<Bootstrap> all(size);
  for (unsigned rank = 0; rank < size; ++rank) {
    all[rank].rank = rank;
    all[rank].size = size;
    all[rank].key = all[0].key;
    all[rank].master = {"127.0.0.1"};
    all[rank].port = job::port_of(listener);
    all[rank].source = "test";
  }
  all[0].listener = listener.release();
  return all;
}

using Body = std::function<void(Job&)>;

/// Runs `body` as one process. Returns the error message, empty if there is none.
inline std::string outcome_of(const Bootstrap& bootstrap, const JobOptions& options,
                              const Body& body) {
  try {
    Job job(bootstrap, options);
    body(job);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Some of the processes of a job, each in a thread.
class JobThreads {
 public:
  JobThreads(const std::vector<Bootstrap>& members, const JobOptions& options, const Body& body) {
    outcomes_.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      threads_.emplace_back([this, i, member = members[i], options, body] {
        outcomes_[i] = outcome_of(member, options, body);
      });
  }
  /// Waits for all members and returns their outcomes in the order of the members.
  std::vector<std::string> outcomes() {
    threads_.clear();
    return outcomes_;
  }

 private:
  std::vector<std::string> outcomes_;
  std::vector<std::jthread> threads_;
};

inline std::vector<std::string> run_job(unsigned size, const Body& body,
                                        const JobOptions& options = patient()) {
  return JobThreads(bootstraps(size), options, body).outcomes();
}

/// A member of a job in a process of its own. REQUIRES: the test has no other thread at this time.
class JobChild {
 public:
  JobChild(const Bootstrap& member, const JobOptions& options, const Body& body) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(outcome_of(member, options, body).empty() ? 0 : 1);
  }
  ~JobChild() { signal(SIGKILL), wait(); }
  JobChild(const JobChild&) = delete;
  JobChild& operator=(const JobChild&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  /// Waits for the process. Returns its exit code; -1 if a signal ended it.
  int wait() {
    int status = -1;
    if (pid_ > 0) ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

/// Bytes that repeat with a period that does not divide any size of frames or chunks.
inline Blob blob_of(std::size_t size, unsigned seed) {
  constexpr std::size_t kPeriod = 4099;
  Blob blob;
  blob.reserve(size + kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) blob.push_back(std::byte(i * 7 + i / 256 + seed));
  for (; blob.size() < size;) {
    const std::size_t more = std::min(blob.size() / kPeriod * kPeriod, size - blob.size());
    const std::size_t begin = blob.size();
    blob.resize(begin + more);
    std::memcpy(blob.data() + begin, blob.data(), more);
  }
  blob.resize(size);
  return blob;
}

inline bool equal_blobs(const Blob& a, const Blob& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

inline void sleep_for(milliseconds time) {
  std::this_thread::sleep_for(time);
}

/// A run that never ends.
class Busy final : public RunMonitor {
 public:
  termination::MemberReport report() override { return {.rounds = ++rounds_}; }

 private:
  std::uint64_t rounds_ = 0;
};

}  // namespace toroid::testing
