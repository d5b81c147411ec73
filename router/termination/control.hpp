// How a run of workers ends: what they tell each other and the thread that watches them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace toroid::ring {

/// Packets as of when all workers were passive.
struct Wave {
  bool all_passive = true;
  std::uint64_t injected = 0;
  std::uint64_t delivered = 0;
};

/// What a worker shows the others; written by it alone. One cache line.
struct alignas(64) WorkerStatus {
  /// Nothing can happen on its nodes until a packet arrives from another worker.
  std::atomic<bool> passive{false};
  std::atomic<std::uint64_t> injected{0};   ///< packets, as of when it last became passive
  std::atomic<std::uint64_t> delivered{0};  ///< likewise
  std::atomic<std::uint64_t> rounds{0};     ///< of its loop
  std::atomic<std::uint64_t> moved{0};      ///< rounds in which something moved
  std::atomic<std::uint64_t> received{0};   ///< packets, as of some rounds ago
};

enum class Ending : int {
  none,       ///< still running
  quiescent,  ///< nothing is left to do, or nothing can ever happen again
  failed,     ///< a node threw
  given_up,   ///< the watching thread ended the run
};

class RunControl {
 public:
  /// `ends_by_itself`: quiescence of these workers is the run's end; false: there are others, in
  /// other processes.
  explicit RunControl(std::size_t workers, bool ends_by_itself = true)
      : status_(workers), ends_by_itself_(ends_by_itself) {}

  WorkerStatus& status(std::size_t worker) { return status_[worker]; }

  // Relaxed: the join of the threads orders everything that is read afterwards.
  bool ended() const { return ending_.load(std::memory_order_relaxed) != Ending::none; }
  /// Acquire: who sees that it failed may read why. Partner: the release in end().
  Ending ending() const { return ending_.load(std::memory_order_acquire); }
  /// The first one counts.
  void end(Ending ending, std::string why = {});
  /// Why it failed. Where ending() has said so, or after the join.
  const std::string& why() const { return why_; }

  /// Whether every worker is passive and no packet is under way, and will be for ever. Any thread
  /// may ask.
  bool is_quiescent() const;
  /// The workers' counts; they mean something if all are passive.
  Wave wave() const;

  /// Until the run has ended or so much time has passed.
  void wait_for(std::chrono::milliseconds time);

  struct Heartbeat {
    std::uint64_t moved = 0;
    std::vector<std::uint64_t> rounds;
  };
  Heartbeat heartbeat() const;
  /// Packets that the workers' nodes have received, as of some of their rounds ago.
  std::uint64_t received() const;

 private:
  std::vector<WorkerStatus> status_;
  bool ends_by_itself_;
  std::atomic<Ending> ending_{Ending::none};
  std::mutex mutex_;  ///< of why_ and changed_
  std::condition_variable changed_;
  std::string why_;
};

}  // namespace toroid::ring
