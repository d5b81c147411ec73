// The processes of a run: who they are, and what they tell each other besides packets. Process 0 is
// connected with every other by TCP; a thread of each process keeps the connections alive.
//
// Before anything else both ends of a connection prove that they hold the key, each by the HMAC of
// a number that the other has just drawn: what was recorded in another run proves nothing.
//
// A process that dies, hangs or is cut off ends the run on all others, with its name, within
// JobOptions::silence and a moment.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/membership.hpp"

namespace toroid {

struct JobOptions {
  std::chrono::milliseconds patience{60000};  ///< for all to join
  std::chrono::milliseconds heartbeat{500};
  std::chrono::milliseconds silence{5000};  ///< after which a process counts as lost
  std::chrono::milliseconds patience_after_failure{2500};
  /// Called by the job's thread when a failure has been known for `patience_after_failure` and the
  /// job is still there: whoever uses it computes for long or is stuck. It should end the process.
  std::function<void(const std::string& why)> abandon{};
  /// Called several times a second by whoever waits here; what it throws ends the waiting, and is a
  /// failure of this process.
  std::function<void()> poll{};
};

/// What everybody knows about a process.
struct ProcessInfo {
  std::string host;
  long pid = 0;
  std::string address;  ///< numeric, of the interface by which it reaches process 0, or is reached
  std::string kernel;   ///< of the kernel's boot: equal for processes that share a clock and memory
};

/// How far a process is with the run of a fabric.
struct RunReport {
  bool passive = false;         ///< nothing can happen here until a packet arrives from elsewhere
  std::uint64_t injected = 0;   ///< packets, as of when it became passive
  std::uint64_t delivered = 0;  ///< likewise
  std::uint64_t moved = 0;      ///< changes when anything has moved
  std::uint64_t laps = 0;       ///< times that every worker has gone round
  int suspect = -1;             ///< a process that has not answered over the fabric for too long
};

/// The run of a fabric, as the job's thread sees it.
class RunMonitor {
 public:
  virtual RunReport report() = 0;

 protected:
  ~RunMonitor() = default;
};

enum class Verdict {
  none,       ///< it goes on
  quiescent,  ///< no process has anything left to do and no packet is under way
  stalled,    ///< nothing has moved anywhere for the limit, though all go round
  failed      ///< a process failed or was lost
};

class Job {
 public:
  /// Returns when all processes have joined. Throws RunFailed, with the names of those that are
  /// missing where it is process 0.
  explicit Job(Membership membership, JobOptions options = {});
  /// Says goodbye. What is not said goodbye to has died.
  ~Job();

  unsigned rank() const;
  unsigned size() const;
  const JobKey& key() const;
  const std::string& source() const;  ///< the membership's
  const ProcessInfo& process(unsigned rank) const;
  /// Drawn by process 0 for this run, the same on all.
  std::uint64_t session() const;
  /// What to add to this process's steady clock to get process 0's; 0 where they share it.
  std::chrono::nanoseconds clock_offset() const;
  /// Connections refused for want of the key, and messages refused as malformed, so far.
  std::uint64_t refused() const;

  /// "process 2 (host beta, pid 77, nodes (0,0,2) to (1,1,3))"; the last only if it is known.
  std::string name(unsigned rank) const;
  /// What is to stand at the end of a process's name.
  void set_place(unsigned rank, std::string place);

  // All processes call these in the same order. They throw RunFailed if the job fails meanwhile.
  /// Everybody's bytes, by rank.
  std::vector<Blob> all_gather(std::span<const std::byte> mine);
  /// On process 0 everybody's bytes, by rank; elsewhere nothing.
  std::vector<Blob> gather(std::span<const std::byte> mine);

  /// From now on `monitor` is asked, by the job's thread, until the verdict: the one on all
  /// processes. All processes call it in the same order. A run stalls after `stall`.
  void watch(RunMonitor& monitor, std::chrono::milliseconds stall);
  /// Until there is one, or so much time has passed.
  Verdict wait(std::chrono::milliseconds time);
  /// The monitor is asked no more. Nothing happens where none was.
  void end_watch();

  /// This process has failed: all others end with its name and this. The first one counts.
  void fail(const std::string& why) noexcept;
  /// Why the job failed, on every process; empty: it has not.
  std::string failure() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toroid
