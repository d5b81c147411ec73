#include "router/shm/worker_pool.hpp"

#include <fmt/core.h>

#include <exception>
#include <latch>
#include <thread>
#include <tuple>
#include <utility>

#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::ring {

/// The two latches of a run: `prepared` opens when all workers have prepared their rings, `go` lets
/// the workers run.
struct WorkerPool::Gates {
  explicit Gates(std::size_t workers) : prepared(static_cast<std::ptrdiff_t>(workers)), go(1) {}
  std::latch prepared;
  std::latch go;
};

namespace {

/// Returns the failure to report; if memory does not suffice for its text, that is the lack of
/// memory. Does not throw, because the workers that wait at the gates must be let go in any case.
std::exception_ptr cannot_start(std::size_t worker, const std::exception& error) noexcept {
  try {
    throw RunFailed(fmt::format("cannot start worker {}: {}", worker, error.what()));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

void WorkerPool::run(const std::function<void()>& ready, const std::function<void()>& watch) {
  const std::size_t workers = placement_.workers.size();
  Gates gates(workers);
  std::vector<std::jthread> threads;
  threads.reserve(workers);
  try {
    for (std::size_t w = 0; w < workers; ++w)
      threads.emplace_back([this, w, &gates] { work(w, gates); });
  } catch (const std::exception& error) {
    control_.fail(cannot_start(threads.size(), error));
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
  attempt([&] { devices = prepare(placement_.workers[w]); });
  gates.prepared.count_down();
  gates.go.wait();
  const CpuShare counted(cpu_);
  attempt([&] {
    Worker(std::move(devices), control_, w, !placement_.oversubscribed,
           w == 0 ? pollable_ : nullptr, topology_.puts(w))
        .run();
  });
}

/// Runs a step of a worker, and ends the run if the step throws: an exception that left a thread
/// would end the process. Memory can run out in either step, even while a worker describes another
/// failure.
template <class Step>
void WorkerPool::attempt(Step step) noexcept {
  try {
    step();
  } catch (...) {
    control_.fail(std::current_exception());
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
