#include "router/termination/time_limit.hpp"

#include <fmt/core.h>

#include <utility>

#include "hal/process_end.hpp"
#include "router/threads/start_thread.hpp"

namespace toroid::termination {
namespace {

/// How long the run may take to fail by itself.
constexpr std::chrono::milliseconds kGrace{1500};

}  // namespace

TimeLimit::TimeLimit(std::chrono::milliseconds limit,
                     std::function<std::string(const std::string& when)> report,
                     std::function<void(const std::string& text)> end)
    : report_(std::move(report)), end_(std::move(end)) {
  if (limit.count() > 0)
    thread_ =
        start_thread<std::thread>("the thread of the run's limit", [this, limit] { watch(limit); });
}

TimeLimit::~TimeLimit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool TimeLimit::ended_within(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return ended_; });
}

void TimeLimit::watch(std::chrono::milliseconds limit) {
  if (ended_within(limit)) return;
  const std::string text =
      report_(fmt::format("within {:g} s", std::chrono::duration<double>(limit).count()));
  if (ended_within({})) return;
  end_(text);
  if (ended_within(kGrace)) return;
  end_process(text);
}

}  // namespace toroid::termination
