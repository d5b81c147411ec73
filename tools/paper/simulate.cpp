#include "tools/paper/simulate.hpp"

#include <unistd.h>

#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "router/cpu_quota.hpp"
#include "router/topology.hpp"
#include "tools/progress.hpp"

namespace toroid {
namespace {

/// What the threads share.
class Work {
 public:
  Work(const std::vector<Simulation>& simulations, const PaperSetting& setting, bool quiet)
      : simulations_(simulations), setting_(setting), shows_(!quiet && ::isatty(2) == 1) {}

  /// Until there are no more.
  void run() {
    while (const Simulation* next = take()) {
      try {
        throw_if_interrupted();
        keep(next->key, next->run(setting_));
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }
  PaperResults results() && {
    if (shows_) fmt::print(stderr, "\r\033[K");
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  const Simulation* take() {
    const std::scoped_lock lock(mutex_);
    return next_ == simulations_.size() || failure_ ? nullptr : &simulations_[next_++];
  }
  void keep(const std::string& key, Json figures) {
    const std::scoped_lock lock(mutex_);
    results_[key] = std::move(figures);
    if (shows_)
      fmt::print(stderr, "\r\033[K{} of {} runs: {}", results_.size(), simulations_.size(), key);
  }
  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  const std::vector<Simulation>& simulations_;
  const PaperSetting& setting_;
  bool shows_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  PaperResults results_;
  std::exception_ptr failure_;
};

unsigned one_per_core() {
  const auto cores = static_cast<double>(Topology::of_this_machine().cores().size());
  return std::max(1u, static_cast<unsigned>(std::min(cores, std::ceil(cpu_quota()))));
}

}  // namespace

PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options) {
  Work work(simulations, setting, options.quiet);
  {
    std::vector<std::jthread> threads;
    const unsigned at_once = options.at_once != 0 ? options.at_once : one_per_core();
    for (unsigned i = 1; i < at_once; ++i) threads.emplace_back([&] { work.run(); });
    work.run();
  }
  return std::move(work).results();
}

}  // namespace toroid
