#include "router/shm/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "router/shm/device.hpp"
#include "router/shm/port.hpp"
#include "router/termination/control.hpp"
#include "router/termination/stall.hpp"

namespace toroid::ring {
namespace {

/// A worker that waits for an answer asks no other worker's status while it does: that would take
/// the cache lines from those who write them.
constexpr unsigned kRoundsBeforeRest = 500;

/// Packets received are summed up for progress once in so many rounds: a look at each node's count
/// is much less than a round of its step.
constexpr std::uint64_t kRoundsPerCount = 256;

/// Counts one up where nobody else writes, and returns the count.
std::uint64_t bump(std::atomic<std::uint64_t>& count) {
  // Relaxed: read by the thread that watches, which only compares. Partner: heartbeat().
  const std::uint64_t more = count.load(std::memory_order_relaxed) + 1;
  count.store(more, std::memory_order_relaxed);
  return more;
}

}  // namespace

Worker::Worker(std::vector<RingDevice*> nodes, RunControl& control, std::size_t index, bool spins,
               Port* port)
    : nodes_(std::move(nodes)),
      control_(&control),
      status_(&control.status(index)),
      port_(port),
      idle_(spins) {}

void Worker::run() {
  try {
    loop();
  } catch (const std::exception& error) {
    control_->end(Ending::failed, failed_at(error));
  } catch (...) {
    control_->end(Ending::failed, failed_at(std::runtime_error("threw what is no exception")));
  }
}

std::string Worker::failed_at(const std::exception& error) const {
  if (current_ == nullptr) return error.what();
  return node_failed(current_->shape(), current_->rank(), error).what();
}

void Worker::loop() {
  while (!control_->ended()) {
    if (bump(status_->rounds) % kRoundsPerCount == 0) tell_received();
    if (step_all()) {
      bump(status_->moved);
      idle_.reset();
    } else if (idle_.rounds() >= kRoundsBeforeRest && is_quiet()) {
      rest();
    } else {
      idle_.wait();
    }
  }
}

bool Worker::step_all() {
  bool moved = false;
  for (RingDevice* node : nodes_) {
    current_ = node;
    moved |= node->step();
  }
  current_ = nullptr;
  return step_port(!moved) || moved;
}

bool Worker::has_news() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const RingDevice* n) { return n->has_news(); });
}

bool Worker::is_quiet() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const RingDevice* n) { return n->quiet(); });
}

/// Passive until a packet arrives from another worker or the run ends.
void Worker::rest() {
  std::uint64_t injected = 0;
  std::uint64_t delivered = 0;
  for (const RingDevice* node : nodes_) {
    injected += node->injected();
    delivered += node->delivered();
  }
  // Release, and `passive` last: who sees it sees these counts. Partner: RunControl::wave().
  status_->injected.store(injected, std::memory_order_release);
  status_->delivered.store(delivered, std::memory_order_release);
  status_->passive.store(true, std::memory_order_release);
  while (!has_news() && !control_->ended()) {
    bump(status_->rounds);
    if (control_->is_quiescent()) return control_->end(Ending::quiescent);
    if (!step_port(true)) idle_.wait();
  }
  wake();
}

void Worker::tell_received() {
  std::uint64_t sum = 0;
  for (const RingDevice* node : nodes_) sum += node->delivered();
  // Relaxed: a number for people. Partner: RunControl::received().
  status_->received.store(sum, std::memory_order_relaxed);
}

/// Before anything is done about the news: whoever learns of a packet that this worker sends from
/// now on must find it no longer passive. The release in LinkSender::publish() orders the two.
void Worker::wake() {
  status_->passive.store(false, std::memory_order_relaxed);
}

}  // namespace toroid::ring
