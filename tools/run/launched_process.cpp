#include "tools/run/launched_process.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace toroid {

void LaunchedProcess::note(const Report& report, Clock::time_point now) {
  switch (report.what) {
    case Report::answers:
      return;
    case Report::starts:
      pid_ = report.status;
      return;
    case Report::joins:
      joins_ = true;
      in_order_ = false;
      return;
    case Report::leaves:
      in_order_ = true;
      return;
    case Report::stops:
      state_ = State::stopped;
      stopped_at_ = now;
      return;
    case Report::continues:
      state_ = State::running;
      return;
    case Report::ends:
    case Report::lost:
      state_ = report.what == Report::ends ? State::ended : State::lost;
      status_ = report.status;
  }
}

void LaunchedProcess::terminate(const std::string& why) {
  told_to_end_ = is_running();
  why_told_ = why;
}

bool LaunchedProcess::vanished() const {
  return state_ == State::ended && status_ == 0 && (joins_ || tells_of_end_) && !in_order_;
}

bool LaunchedProcess::has_failed() const {
  return state_ == State::lost || (state_ == State::ended && status_ != 0) || vanished();
}

int LaunchedProcess::exit_code() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string LaunchedProcess::name() const {
  return fmt::format("rank {} on {}{}", rank_, host_,
                     pid_ == 0 ? "" : fmt::format(" (pid {})", pid_));
}

std::string LaunchedProcess::obituary() const {
  const std::string who = name();
  const int code = exit_code();
  const std::string why = told_to_end_ ? ", ended by the launcher because of " + why_told_ : "";
  if (WIFSIGNALED(status_))
    return fmt::format("{} was killed by signal {}{}", who, code - 128, why);
  return fmt::format("{} ended with exit code {}{}{}", who, code, why,
                     vanished() ? " in the middle of the run" : "");
}

}  // namespace toroid
