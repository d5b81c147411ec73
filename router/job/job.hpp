// The processes of a job: who they are, and what they tell each other besides packets.
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
#include "router/termination/detector.hpp"

namespace toroid {

namespace job {
class Member;
}

struct JobOptions {
  std::chrono::milliseconds patience{60000};  ///< time for all processes to join
  std::chrono::milliseconds heartbeat{500};   ///< time between two signs of life
  std::chrono::milliseconds silence{5000};    ///< time after which a silent process counts as lost
  /// Time for which a process must be said not to answer another one, though its workers go round,
  /// until it counts as lost.
  std::chrono::milliseconds persistence{1000};
  /// Time that the program has to leave a job that has failed.
  std::chrono::milliseconds patience_after_failure{2500};
  /// Called once, by the job's thread, when `patience_after_failure` is over and the program has
  /// not left: it computes for long or is stuck. The callback should end the process.
  std::function<void(const std::string& why)> abandon{};
  /// Called several times a second by a thread that waits in the job. What it throws ends the wait
  /// and fails this process.
  std::function<void()> poll{};
};

/// What all processes know about a process.
struct ProcessInfo {
  std::string host;
  long pid = 0;
  /// Numeric address of the interface over which the process is connected with process 0.
  std::string address;
  /// Identifies the kernel's boot and time namespace: equal for processes that share clock and
  /// memory.
  std::string kernel;
};

/// The run of a fabric on this process, as the job's thread sees it.
class RunMonitor {
 public:
  /// How far the run is here. Called by the job's thread, many times a second.
  virtual termination::MemberReport report() = 0;
  /// A process is lost, and the run goes on without it. Called by the job's thread, once for each,
  /// where the run is watched so. Reports leave its packets out as soon as they can.
  virtual void lose(unsigned) {}

 protected:
  ~RunMonitor() = default;
};

/// What is to become of a run when a process dies, hangs or is cut off while it is watched.
enum class OnLoss : std::uint8_t {
  fail,  ///< the job fails
  /// The others go on without it. The loss of process 0, and what a process itself says of its
  /// failure, end the run as ever; so does a loss before the watch begins or after the verdict.
  go_on,
};

/// A process that a run went on without.
struct Loss {
  unsigned rank = 0;
  std::string why;  ///< with its name: "process 2 (host beta, pid 77) died: connection closed"
};

/// A process's membership of a job.
///
/// **Topology:** a star. Process 0 is connected with every other process by TCP; a thread of each
/// process keeps its connections alive.
/// **Admission:** the connections are TLS 1.3 with a pre-shared key, which is derived from the
/// job's: an end that does not hold it gets no further than its first message, a recording proves
/// nothing, and nobody else can read or change what is said.
/// **Failure:** a process that dies, hangs or is cut off ends the job on all others, with its name,
/// within JobOptions::silence and a moment; unless the run that is watched goes on without it. All
/// others then learn of it from process 0, which closes its connection: it cannot come back.
///
/// Owned by the program, which calls it from one thread; fail(), failure(), name() and refused()
/// may be called from any.
class Job {
 public:
  /// Returns when all processes have joined. Throws RunFailed, with the names of those that are
  /// missing where it is process 0.
  explicit Job(Membership membership, JobOptions options = {});
  /// Leaves the job in order. A process whose connection closes without this counts as dead.
  ~Job();

  unsigned rank() const;
  unsigned size() const;
  const JobKey& key() const;
  /// Membership::source.
  const std::string& source() const;
  const ProcessInfo& process(unsigned rank) const;
  /// A random number that process 0 has drawn for this job; the same on all processes.
  std::uint64_t session() const;
  /// What to add to this process's steady clock to get that of process 0; 0 if they share a clock.
  std::chrono::nanoseconds clock_offset() const;
  /// Number of connections refused for want of the key and of messages refused as malformed.
  std::uint64_t refused() const;

  /// "process 2 (host beta, pid 77, nodes (0,0,2) to (1,1,3))"; the nodes only if set_place() has
  /// been called.
  std::string name(unsigned rank) const;
  /// Sets the text at the end of a process's name.
  void set_place(unsigned rank, std::string place);

  // Collectives: all processes call them in the same order. They throw RunFailed if the job fails.
  /// The bytes of all processes, by rank; none of one that is lost.
  std::vector<Blob> all_gather(std::span<const std::byte> mine);
  /// The bytes of all processes, by rank, on process 0; nothing elsewhere, none of one that is
  /// lost.
  std::vector<Blob> gather(std::span<const std::byte> mine);

  /// Watches a run, which all processes begin in the same order: from now on the job's thread asks
  /// `monitor` until the verdict, which is the same on all processes. A run that has not moved for
  /// `stall` is stalled.
  void watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss = OnLoss::fail);
  /// Waits for the verdict, at most for `time`.
  termination::Verdict wait(std::chrono::milliseconds time);
  /// Ends the watch, if there is one: the monitor is not asked any more.
  void end_watch();
  /// The processes that a run went on without, in the order in which process 0 noticed. After a
  /// verdict they are the same on all processes.
  std::vector<Loss> losses() const;

  /// Fails the job: all processes end with this one's name and `why`. The first failure counts.
  void fail(const std::string& why) noexcept;
  /// Why the job failed, the same on every process; empty if it has not.
  std::string failure() const;

 private:
  struct Leave {
    void operator()(job::Member* member) const noexcept;
  };
  std::unique_ptr<job::Member, Leave> member_;
};

}  // namespace toroid
