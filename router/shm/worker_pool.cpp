#include "router/shm/worker_pool.hpp"

#include <fmt/core.h>

#include <exception>
#include <latch>
#include <thread>
#include <tuple>
#include <utility>

#include "hal/shape.hpp"
#include "router/termination/failure.hpp"
#include "router/threads/start_thread.hpp"

namespace toroid::ring {

/// The two latches of a run: `prepared` opens when all workers have prepared their rings, `go` lets
/// the workers run.
struct WorkerPool::Gates {
  explicit Gates(std::size_t workers) : prepared(static_cast<std::ptrdiff_t>(workers)), go(1) {}
  std::latch prepared;
  std::latch go;
};

using termination::failure_with;

void WorkerPool::run(const std::function<void()>& ready, const std::function<void()>& watch) {
  const std::size_t workers = placement_.workers.size();
  Gates gates(workers);
  std::vector<std::jthread> threads;
  threads.reserve(workers);
  try {
    for (std::size_t w = 0; w < workers; ++w)
      threads.push_back(
          start_thread(fmt::format("worker {}", w), [this, w, &gates] { work(w, gates); }));
  } catch (...) {
    control_.fail(std::current_exception());
    gates.prepared.count_down(static_cast<std::ptrdiff_t>(workers - threads.size()));
  }
  gates.prepared.wait();
  try {
    ready();
  } catch (...) {
    control_.fail(std::current_exception());
    gates.go.count_down();
    throw;
  }
  gates.go.count_down();
  watch();
}

void WorkerPool::work(std::size_t w, Gates& gates) {
  std::vector<RingDevice*> devices;
  try {
    devices = prepare(placement_.workers[w]);
  } catch (...) {
    control_.fail(failure_with([] { return "not enough memory for the rings"; }));
  }
  gates.prepared.count_down();
  gates.go.wait();
  const CpuShare counted(cpu_);
  try {
    Worker(std::move(devices), control_, w, !placement_.oversubscribed,
           w == 0 ? pollable_ : nullptr, topology_.puts(w))
        .run();
  } catch (...) {  // a failure of a node does not come here unless memory runs out for its text
    control_.fail(failure_with([] { return "not enough memory for a worker"; }));
  }
}

/// Runs on the worker's own thread, so that memory that it touches first lies near its core.
std::vector<RingDevice*> WorkerPool::prepare(const WorkerPlace& place) {
  std::ignore = bind_this_thread(place);  // a worker that cannot be bound runs anywhere
  std::vector<RingDevice*> devices;
  for (const Rank rank : place.nodes) {
    topology_.allocate(rank);
    devices.push_back(&topology_.device(rank));
  }
  return devices;
}

}  // namespace toroid::ring
