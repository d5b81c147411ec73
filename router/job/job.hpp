// The processes of a job and their communication apart from packets.
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
#include "router/job/bootstrap.hpp"
#include "router/job/key.hpp"
#include "router/termination/detector.hpp"

namespace toroid {

namespace job {
class MemberThread;
}

struct JobOptions {
  std::chrono::milliseconds patience{60000};  ///< time for all processes to join
  std::chrono::milliseconds heartbeat{500};   ///< time between two heartbeats
  std::chrono::milliseconds silence{5000};    ///< time after which a silent process counts as lost
  /// The job fails if a process reports for this long that it gets no answer from another process,
  /// although the workers of that other process complete rounds.
  std::chrono::milliseconds persistence{1000};
  /// Time that the program has to leave a job that has failed.
  std::chrono::milliseconds patience_after_failure{2500};
  /// Called once, by the job's thread, when `patience_after_failure` is over and the program is
  /// still in the job, because it computes for long or is stuck. The callback should end the
  /// process.
  std::function<void(const std::string& why)> abandon{};
  /// Called several times a second by the program's thread while it waits in a function of Job. An
  /// exception from it ends the wait and fails the job.
  std::function<void()> poll{};
};

/// Public information about a process, known to all processes.
struct ProcessInfo {
  std::string host;
  long pid = 0;
  /// Numeric address of the interface over which the process is connected with process 0.
  std::string address;
  /// Identifies the boot and the time namespace of the process's kernel. Processes with equal
  /// values share a clock, and may share memory.
  std::string kernel;
};

/// The run of a fabric on this process, as the job's thread sees it.
class RunMonitor {
 public:
  /// Returns the state of the run in this process. Called by the job's thread, many times a second.
  virtual termination::MemberReport report() = 0;
  /// Tells the run that it goes on without a lost process. Called by the job's thread, once for
  /// each lost process, only with OnLoss::go_on. Reports must leave out the packets of that process
  /// as soon as possible.
  virtual void lose(unsigned) {}

 protected:
  ~RunMonitor() = default;
};

/// What happens when a process dies, hangs or is cut off while a run is watched.
enum class OnLoss : std::uint8_t {
  fail,  ///< the job fails
  /// The other processes go on without the lost process. The run still fails if process 0 is lost,
  /// if a process is lost before the watch begins or after the verdict, if a process reports its
  /// own failure, or if a process reports for JobOptions::persistence that another one does not
  /// answer.
  go_on,
};

/// A lost process, if the run has gone on without it.
struct Loss {
  unsigned rank = 0;
  std::string why;  ///< includes the name: "process 2 (host beta, pid 77) died: connection closed"
};

/// A value that all processes of a job must have, such as the content of an input file.
struct NamedValue {
  std::string name;
  std::span<const std::byte> bytes;
};

/// A process's membership of a job.
///
/// **Topology:** a star. Process 0 is connected with every other process by TCP; a thread of each
/// process keeps its connections alive.
/// **Admission:** the connections are TLS 1.3 with a pre-shared key, derived from the job's key. An
/// end without the job's key gets no further than its first message, replayed recordings are
/// useless, and nobody else can read or change the messages.
/// **Failure:** if a process dies, hangs or is cut off, the job fails on all others with a message
/// that names that process, within little more than JobOptions::silence. If the watched run goes on
/// without lost processes, the job does not fail: process 0 tells all others, and closes its
/// connection with the lost process, which cannot come back.
///
/// A Job is a handle: copies share the membership, and the process leaves with the last of them. A
/// fabric keeps one. The program calls it from one thread; fail(), failure(), name() and refused()
/// may be called from any thread.
class Job {
 public:
  /// Returns when all processes have joined. Throws RunFailed; on process 0 its text lists the
  /// missing processes.
  explicit Job(Bootstrap bootstrap, JobOptions options = {});
  Job(const Job&) = default;
  Job& operator=(const Job&) = delete;
  /// The last handle leaves the job: says goodbye to the others. A process whose connection closes
  /// without a goodbye counts as dead. `toroid launch` counts it as failed, even if its exit code
  /// is 0.
  ~Job();

  unsigned rank() const;
  unsigned size() const;
  const JobKey& key() const;
  /// The origin of the bootstrap: Bootstrap::source.
  const std::string& source() const;
  const ProcessInfo& process(unsigned rank) const;
  /// A random number that process 0 has drawn for this job; the same on all processes.
  std::uint64_t session() const;
  /// Offset to add to this process's steady clock to get process 0's; 0 if they share a clock.
  std::chrono::nanoseconds clock_offset() const;
  /// Number of connections refused because of a missing or wrong key, plus the number of malformed
  /// messages.
  std::uint64_t refused() const;

  /// "process 2 (host beta, pid 77, nodes (0,0,2) to (1,1,3))"; includes the nodes only if
  /// set_place() has been called.
  std::string name(unsigned rank) const;
  /// Sets the text at the end of a process's name.
  void set_place(unsigned rank, std::string place);

  // Collectives: all processes call them in the same order. They throw RunFailed if the job fails
  // before their result has come. A process that fails the job because of a result does not keep
  // it from the others, unless it is long.
  /// Returns the bytes of all processes, by rank; empty for a lost process.
  std::vector<Blob> all_gather(std::span<const std::byte> mine);
  /// On process 0, returns the bytes of all processes, by rank, empty for a lost process; on other
  /// processes, an empty vector.
  std::vector<Blob> gather(std::span<const std::byte> mine);

  /// Compares values with those of the other processes, in one collective for any number of values.
  /// If a value differs, or one process lacks it, throws BadInput with the same text on all
  /// processes: "a.npy differs between process 0 (host a, pid 1) and process 1 (host b, pid 2)".
  /// Values of equal names count together. The processes compare 64-bit hashes, so a difference
  /// stays unnoticed with a probability of 2^-64.
  void agree(std::span<const NamedValue> mine);
  void agree(const std::string& name, std::span<const std::byte> mine);
  /// Takes the place of agree() on a process that cannot read its input, for example: on all
  /// processes agree() throws BadInput that names this process and says why.
  [[noreturn]] void refuse(const std::string& why);

  /// Starts watching a run; all processes watch their runs in the same order. The job's thread
  /// queries `monitor` until the verdict, which is the same on all processes. A run is stalled if
  /// nothing has moved for `stall`.
  void watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss = OnLoss::fail);
  /// Waits for the verdict, at most for `time`.
  termination::Verdict wait(std::chrono::milliseconds time);
  /// Ends the watch, if there is one: the monitor is not queried any more.
  void end_watch();
  /// The lost processes, if a run went on without them, in the order in which process 0 noticed the
  /// losses. After a verdict the list is the same on all processes.
  std::vector<Loss> losses() const;

  /// Fails the job: all processes report this process's name and `why`. The first failure counts.
  void fail(const std::string& why) noexcept;
  /// Why the job failed, the same on every process; empty if it has not failed.
  std::string failure() const;

 private:
  friend Job join_job(JobOptions options);
  explicit Job(std::shared_ptr<job::MemberThread> member);

  std::shared_ptr<job::MemberThread> member_;
};

/// Joins the job that the launcher describes: by environment variables (RANK, WORLD_SIZE,
/// MASTER_ADDR, MASTER_PORT, TOROID_JOB_KEY) or by PMIx. If it describes none, this process is a
/// job of its own. Returns when all processes have joined. If this process is already in the job of
/// its launcher, returns another handle of it and ignores `options`. If `options.abandon` is empty,
/// a process that is still in a failed job after `options.patience_after_failure` prints the reason
/// and ends with exit code 1. Throws BadInput if the environment is incomplete or contradictory,
/// RunFailed if a process is missing.
Job join_job(JobOptions options = {});

}  // namespace toroid
