#include "tools/lab/campaign/campaign.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "hal/check.hpp"
#include "router/placement/cpu_quota.hpp"
#include "router/placement/host_topology.hpp"
#include "router/threads/start_thread.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/progress.hpp"

namespace toroid {
namespace {

class Runs {
 public:
  Runs(const CampaignRun& options, std::span<const std::string> keys,
       const std::function<Json(std::size_t)>& run_one)
      : options_(options),
        keys_(keys),
        run_one_(run_one),
        rows_(keys.size()),
        progress_(options.quiet, keys.size()) {
    TOROID_CHECK(options.work.empty() || options.work.size() == keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Json* row = options.finished == nullptr ? nullptr : options.finished->find(keys[i]);
      row == nullptr ? todo_.push_back(i) : static_cast<void>(rows_[i] = *row);
    }
    for (const std::size_t i : todo_) progress_.expect(work_of(i));  // the other rows are finished
  }

  std::vector<Json> run() {
    show_rows(false);
    progress_.show();
    {
      std::vector<std::jthread> others;
      const std::size_t threads = std::min<std::size_t>(options_.at_once, todo_.size());
      try {
        for (std::size_t t = 1; t < threads; ++t)
          others.push_back(start_thread(fmt::format("run {} of {} at a time", t + 1, threads),
                                        [this] { work(); }));
      } catch (...) {
        end_with_this_exception();
      }
      work();
    }
    progress_.clear();
    if (failure_) std::rethrow_exception(failure_);
    show_rows(true);
    return std::move(rows_);
  }

 private:
  void work() {
    for (std::size_t at; !stopped() && (at = next_++) < todo_.size();) {
      try {
        Outcome outcome = attempt(todo_[at]);
        if (is_interrupted()) return;  // the outcome may stem from the interruption
        finish(todo_[at], outcome);
      } catch (...) {  // an EmbeddingError, a fatal one, or not enough memory for the outcome
        if (options_.fatal && is_interrupted()) return;
        end_with_this_exception();
      }
    }
  }

  bool stopped() const { return is_interrupted() || failed_; }

  struct Outcome {
    Json row;
    bool lasts = true;  ///< whether another run would give the same row
  };

  Outcome attempt(std::size_t i) const {
    try {
      return {run_one_(i)};
    } catch (const EmbeddingError&) {
      throw;
    } catch (const std::bad_alloc&) {
      return failed(i, "not enough memory", false);
    } catch (const std::exception& error) {
      return failed(i, one_line(error.what()), options_.failures_last);
    }
  }

  Outcome failed(std::size_t i, const std::string& why, bool lasts) const {
    if (options_.fatal) throw RunFailed(options_.fatal(i, why));
    return {{{"error", why}}, lasts};
  }

  void finish(std::size_t i, Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    try {
      if (options_.finished != nullptr && outcome.lasts)
        options_.finished->add(keys_[i], outcome.row);
      rows_[i] = std::move(outcome.row);
      leave_interruptions_to_be_noticed();
      show_rows(false);
    } catch (...) {
      end_with_this_exception();
    }
    progress_.add(work_of(i));
    progress_.show();
  }

  void end_with_this_exception() {
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }

  double work_of(std::size_t i) const { return options_.work.empty() ? 1 : options_.work[i]; }

  /// Shows the finished rows before the next unfinished one. `with_gaps`, for use after the last
  /// run: shows all remaining finished rows.
  void show_rows(bool with_gaps) {
    for (; shown_ < rows_.size() && (with_gaps || !rows_[shown_].is_null()); ++shown_) {
      if (!options_.show || rows_[shown_].is_null()) continue;
      progress_.clear();
      options_.show(shown_, rows_[shown_]);
    }
  }

  const CampaignRun& options_;
  std::span<const std::string> keys_;
  const std::function<Json(std::size_t)>& run_one_;
  std::vector<std::size_t> todo_;
  std::atomic<std::size_t> next_ = 0;  ///< index into todo_
  std::atomic<bool> failed_ = false;
  /// Guards `finished` and calls of `show`. While threads run, it also guards all members below
  /// except failure_.
  std::mutex mutex_;
  std::vector<Json> rows_;
  std::size_t shown_ = 0;  ///< number of rows that were shown or skipped
  /// What ended the campaign; written by the thread that sets failed_.
  std::exception_ptr failure_;
  RunsProgress progress_;
};

}  // namespace

std::vector<Json> run_campaign(const CampaignRun& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one) {
  return Runs(options, keys, run_one).run();
}

unsigned cores_at_hand() {
  const HostTopology topology = HostTopology::of_this_machine();
  const auto cores = static_cast<double>(topology.cores().size());
  return std::max(1u, static_cast<unsigned>(std::min(cores, std::ceil(cpu_quota()))));
}

}  // namespace toroid
