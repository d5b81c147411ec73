#include "router/termination/control.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace toroid::ring {

void RunControl::end(Ending ending, std::string why) {
  const std::lock_guard lock(mutex_);
  if (ended()) return;
  why_ = std::move(why);
  ending_.store(ending, std::memory_order_release);
  changed_.notify_all();
}

void RunControl::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return ended(); });
}

Wave RunControl::wave() const {
  Wave wave;
  for (const WorkerStatus& status : status_) {
    // Acquire: the counts belong to this passivity. Partner: the release in Worker::rest().
    wave.all_passive &= status.passive.load(std::memory_order_acquire);
    wave.injected += status.injected.load(std::memory_order_acquire);
    wave.delivered += status.delivered.load(std::memory_order_acquire);
  }
  return wave;
}

/// Mattern's four counters: if as much had been delivered in a first look as has been injected in a
/// second, nothing was under way in between. Source: F. Mattern, "Algorithms for distributed
/// termination detection", Distributed Computing 2 (1987).
bool RunControl::is_quiescent() const {
  if (!ends_by_itself_) return false;
  const Wave first = wave();
  if (!first.all_passive || first.delivered != first.injected) return false;
  const Wave second = wave();
  return second.all_passive && second.injected == first.delivered;
}

RunControl::Heartbeat RunControl::heartbeat() const {
  Heartbeat beat;
  for (const WorkerStatus& status : status_) {
    // Relaxed: only whether they change from one look to the next matters.
    beat.moved += status.moved.load(std::memory_order_relaxed);
    beat.rounds.push_back(status.rounds.load(std::memory_order_relaxed));
  }
  return beat;
}

std::uint64_t RunControl::received() const {
  std::uint64_t sum = 0;
  // Relaxed: a number for people. Partner: Worker::tell_received().
  for (const WorkerStatus& status : status_) sum += status.received.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace toroid::ring
