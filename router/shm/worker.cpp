#include "router/shm/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "router/shm/direct/put_switch.hpp"
#include "router/termination/failure.hpp"

namespace toroid::ring {
namespace {

/// Rounds without motion after which a worker rests and reads other workers' reports. A worker that
/// only waits for an answer should not read reports: that would take their cache lines from the
/// workers that write them.
constexpr unsigned kRoundsBeforeRest = 500;
/// The same for workers that share cores. Fewer rounds suffice, because each round gives all other
/// workers a turn, and because reading reports moves no cache lines.
constexpr unsigned kTurnsBeforeRest = 32;
/// If other processes occupy the cores, a round can take as long as one of their time slices. The
/// rounds before a rest could then take longer than RingOptions::stall, so that the run would seem
/// to have stalled. So a worker also rests after this time, which is checked every kRoundsPerLook
/// rounds.
constexpr std::chrono::milliseconds kTimeBeforeRest{50};
constexpr unsigned kRoundsPerLook = 32;

/// A worker sums up the packets received, for progress reports, once in this many rounds.
constexpr std::uint64_t kRoundsPerCount = 256;

/// Adds 1 to a count that only this thread writes, and returns the new value.
std::uint64_t bump(std::atomic<std::uint64_t>& count) {
  // Relaxed: the watching thread only compares values. Partner: WorkerReport::load().
  const std::uint64_t more = count.load(std::memory_order_relaxed) + 1;
  count.store(more, std::memory_order_relaxed);
  return more;
}

}  // namespace

Worker::Worker(std::vector<RingDevice*> devices, termination::RunControl& control,
               std::size_t index, bool spins, Pollable* pollable, PutPort* puts)
    : devices_(std::move(devices)),
      control_(&control),
      report_(&control.report(index)),
      pollable_(pollable),
      puts_(puts),
      rounds_before_rest_(spins ? kRoundsBeforeRest : kTurnsBeforeRest),
      idle_(spins),
      detector_(control.detector()) {}

void Worker::run() {
  control_->enter();
  try {
    loop();
  } catch (...) {
    fail(std::current_exception());
  }
  control_->leave();
}

void Worker::fail(const std::exception_ptr& error) {
  control_->fail(current_ == nullptr
                     ? termination::run_failure(error)
                     : termination::node_failure(current_->shape(), current_->rank(), error));
}

void Worker::loop() {
  while (!control_->ended()) {
    if (bump(report_->rounds) % kRoundsPerCount == 0) report_received();
    progressed_ = false;
    if (step_all()) {
      if (progressed_) bump(report_->moved);
      idle_.reset();
    } else if (has_waited() && is_quiet()) {
      rest();
    } else {
      wait();
    }
  }
}

/// Whether nothing has moved for so long that the worker may rest.
bool Worker::has_waited() {
  const unsigned rounds = idle_.rounds();
  if (rounds >= rounds_before_rest_) return true;
  if (rounds == 0 || rounds % kRoundsPerLook != 0) return false;
  const auto now = std::chrono::steady_clock::now();
  if (rounds == kRoundsPerLook) waits_since_ = now;
  return now - waits_since_ >= kTimeBeforeRest;
}

void Worker::wait() {
  if (pollable_ != nullptr && pollable_->hurries()) idle_.reset();
  idle_.wait();
}

bool Worker::step_all() {
  bool moved = puts_ != nullptr && puts_->step();
  progressed_ = moved;
  for (RingDevice* device : devices_) {
    current_ = device;
    const std::uint64_t progress = device->progress();
    moved |= device->step();
    progressed_ |= device->progress() != progress;
  }
  current_ = nullptr;
  const bool arrived = poll(!moved);
  progressed_ |= arrived;
  return arrived || moved;
}

bool Worker::has_news() const {
  if (puts_ != nullptr && puts_->has_news()) return true;
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const RingDevice* d) { return d->has_news(); });
}

bool Worker::is_quiet() const {
  if (puts_ != nullptr && !puts_->is_quiet()) return false;
  return std::all_of(devices_.begin(), devices_.end(),
                     [](const RingDevice* d) { return d->quiet(); });
}

/// The worker is passive until a packet, a put or a completion arrives from another worker, or the
/// run ends.
void Worker::rest() {
  std::uint64_t injected = 0;
  std::uint64_t delivered = 0;
  for (const RingDevice* device : devices_) {
    injected += device->injected() + device->completions_sent();
    delivered += device->delivered() + device->lost() + device->completions_taken();
  }
  // Release, with `passive` last: a thread that sees it also sees these counts. Partner:
  // WorkerReport::load().
  report_->injected.store(injected, std::memory_order_release);
  report_->delivered.store(delivered, std::memory_order_release);
  report_->passive.store(true, std::memory_order_release);
  while (!has_news() && !control_->ended()) {
    bump(report_->rounds);
    if (control_->is_quiescent(detector_)) return control_->end(termination::Verdict::quiescent);
    if (poll(true))
      bump(report_->moved);  // a long read from another process counts as motion before it brings
                             // news
    else
      wait();
  }
  wake();
}

void Worker::report_received() {
  std::uint64_t sum = 0;
  for (const RingDevice* device : devices_) sum += device->delivered();
  // Relaxed: used for progress only. Partner: RunControl::received().
  report_->received.store(sum, std::memory_order_relaxed);
}

/// Called before the worker reacts to any news: a thread that sees a packet sent by this worker
/// from now on must also see that the worker is no longer passive. The ring or the put queue makes
/// the packet visible by a release, and this store comes before it.
void Worker::wake() {
  report_->passive.store(false, std::memory_order_relaxed);
}

}  // namespace toroid::ring
