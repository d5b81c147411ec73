#include "tools/lab/campaign.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "router/cpu_quota.hpp"
#include "router/topology.hpp"
#include "tools/progress.hpp"

namespace toroid {
namespace {

using Clock = std::chrono::steady_clock;

/// [######--------------] 12 of 40 runs, about 35 s left
std::string progress_text(std::size_t done, std::size_t all, std::size_t made, double seconds) {
  constexpr std::size_t kWidth = 20;
  const std::size_t filled = kWidth * done / std::max<std::size_t>(all, 1);
  std::string text = fmt::format("[{}{}] {} of {} runs", std::string(filled, '#'),
                                 std::string(kWidth - filled, '-'), done, all);
  if (made > 0)
    text += fmt::format(", about {:.0f} s left", std::ceil(seconds / static_cast<double>(made) *
                                                           static_cast<double>(all - done)));
  return text;
}

class Runs {
 public:
  Runs(const CampaignOptions& options, std::span<const std::string> keys,
       const std::function<Json(std::size_t)>& run_one)
      : options_(options),
        keys_(keys),
        run_one_(run_one),
        rows_(keys.size()),
        line_(options.quiet) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Json* row = options.journal == nullptr ? nullptr : options.journal->find(keys[i]);
      row == nullptr ? todo_.push_back(i) : static_cast<void>(rows_[i] = *row);
    }
  }

  std::vector<Json> run() {
    show();
    {
      std::vector<std::jthread> others;
      const std::size_t threads = std::min<std::size_t>(options_.at_once, todo_.size());
      for (std::size_t t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
      work();
    }
    line_.clear();
    if (failure_) std::rethrow_exception(failure_);
    if (is_interrupted()) throw RunFailed(interruption());
    return std::move(rows_);
  }

 private:
  void work() {
    for (std::size_t at; !stopped() && (at = next_++) < todo_.size();) {
      Outcome outcome = attempt(todo_[at]);
      if (is_interrupted()) return;  // what it says may be about that
      finish(todo_[at], outcome);
    }
  }

  bool stopped() const { return is_interrupted() || failed_; }

  struct Outcome {
    Json row;
    bool lasts = true;  ///< it would be the same another time
  };

  Outcome attempt(std::size_t i) const {
    try {
      return {run_one_(i)};
    } catch (const std::bad_alloc&) {
      return {{{"error", "not enough memory"}}, false};
    } catch (const std::exception& error) {
      return {{{"error", one_line(error.what())}}, options_.failures_last};
    }
  }

  void finish(std::size_t i, Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    try {
      if (options_.journal != nullptr && outcome.lasts)
        options_.journal->add(keys_[i], outcome.row);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    rows_[i] = std::move(outcome.row);
    ++made_;
    show();
  }

  void show() {
    if (!line_.visible()) return;
    const std::chrono::duration<double> spent = Clock::now() - began_;
    const std::size_t done = keys_.size() - todo_.size() + made_;
    line_.show(progress_text(done, keys_.size(), made_, spent.count()));
  }

  std::string interruption() const {
    if (options_.journal == nullptr) return "interrupted";
    return fmt::format("interrupted; {} finished runs are in {}", options_.journal->size(),
                       options_.journal->path());
  }

  const CampaignOptions& options_;
  std::span<const std::string> keys_;
  const std::function<Json(std::size_t)>& run_one_;
  std::vector<std::size_t> todo_;
  std::atomic<std::size_t> next_ = 0;  ///< of todo_
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  ///< guards the journal, and all below, while threads run
  std::vector<Json> rows_;
  std::exception_ptr failure_;  ///< of the journal
  std::size_t made_ = 0;
  ProgressLine line_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace

std::vector<Json> run_campaign(const CampaignOptions& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one) {
  return Runs(options, keys, run_one).run();
}

unsigned cores_at_hand() {
  const Topology topology = Topology::of_this_machine();
  const auto cores = static_cast<double>(topology.cores().size());
  return std::max(1u, static_cast<unsigned>(std::min(cores, std::ceil(cpu_quota()))));
}

}  // namespace toroid
