#include "router/job/member.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskPeriod{5};   // between two reports of the monitor
constexpr milliseconds kGoodbye{1000};  // for the others to close their ends

/// While the program loads libraries, they may have handlers of their own.
void leave_signals_to_the_program() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

Member::Member(Membership membership, JobOptions options)
    : membership_(std::move(membership)),
      options_(std::move(options)),
      roster_(membership_.size),
      clock_(std::min<Clock::duration>(5 * kPollPeriod, options_.silence / 4)) {
  roster_[membership_.rank] = this_process();
}

void Member::start() {
  thread_ = std::jthread([this] { run(); });
}

void Member::leave() noexcept {
  if (!thread_.joinable()) return;
  {
    const Lock asking(asking_);  // a job that is being left must not be abandoned
    const Lock lock(mutex_);
    leaving_ = true;
    progress_at_ = Clock::now();
    send_goodbye();
  }
  wake_thread();
  thread_.join();
}

std::string Member::name(unsigned rank) {
  const Lock lock(mutex_);
  return roster_.name(rank);
}

void Member::set_place(unsigned rank, std::string place) {
  const Lock lock(mutex_);
  roster_.set_place(rank, std::move(place));
}

void Member::watch(RunMonitor& monitor, milliseconds stall, OnLoss on_loss) {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  TOROID_CHECK(monitor_ == nullptr);
  monitor_ = &monitor;
  stall_ = stall;
  on_loss_ = on_loss;
  told_losses_ = 0;
  verdict_ = termination::Verdict::none;
  ++watch_;
  begin_watch();
  wake_thread();
}

std::vector<Loss> Member::losses() {
  const Lock lock(mutex_);
  return losses_;
}

void Member::note_loss(Loss loss) {
  losses_.push_back(std::move(loss));
  asked_at_ = {};
  wake_thread();
}

void Member::end_watch() {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  monitor_ = nullptr;
}

termination::Verdict Member::wait(milliseconds time) {
  const auto until = Clock::now() + time;
  Lock lock(mutex_);
  const auto has_verdict = [this] { return current_verdict() != termination::Verdict::none; };
  const auto period = thread_.joinable() ? kPollPeriod : kAskPeriod;
  while (!has_verdict() && Clock::now() < until) {
    if (!thread_.joinable()) {
      lock.unlock();
      ask_monitor();
      lock.lock();
      tick();
    }
    if (!changed_.wait_until(lock, std::min(until, Clock::now() + period), has_verdict))
      poll_user(lock);
  }
  return current_verdict();
}

/// A wait cannot be resumed after an exception, so the other processes have to know of it.
void Member::poll_user(Lock& lock) {
  if (!options_.poll || Clock::now() - polled_user_at_ < kPollPeriod) return;
  polled_user_at_ = Clock::now();
  lock.unlock();
  try {
    options_.poll();
  } catch (const std::exception& error) {
    fail(error.what());
    throw;
  } catch (...) {
    fail("interrupted");
    throw;
  }
  lock.lock();
}

void Member::fail(const std::string& why) noexcept {
  try {
    const Lock lock(mutex_);
    set_failure(fmt::format("{}: {}", roster_.name(membership_.rank), why), true);
  } catch (const std::bad_alloc&) {
    std::terminate();  // the others notice that this process has ended
  }
}

std::string Member::failure() {
  const Lock lock(mutex_);
  return failure_;
}

void Member::set_failure(std::string why, bool own) {
  if (!failure_.empty() || leaving_) return;
  failure_ = std::move(why);
  failed_at_ = clock_.now();
  spread_failure(own);
  changed_.notify_all();
  wake_thread();
}

void Member::decide(termination::Verdict verdict) {
  if (verdict_ != termination::Verdict::none) return;
  verdict_ = verdict;
  changed_.notify_all();
}

bool Member::is_heartbeat_due() {
  const auto now = Clock::now();
  const auto half = std::max(stall_ / 20, kAskPeriod);  // two between two samples of StallWatch
  const auto period = is_watching() ? std::min(options_.heartbeat, half) : options_.heartbeat;
  if (now - beat_at_ < period) return false;
  beat_at_ = now;
  return true;
}

std::string Member::unanswered() const {
  const double seconds = std::chrono::duration<double>(options_.silence).count();
  return fmt::format(" has not answered for {:.1f} s", seconds);
}

Member::Served Member::serve_connection(Connection& connection, const std::vector<pollfd>& polled,
                                        const Handlers& handlers) {
  Inbox::Read read = Inbox::Read::nothing;
  // If the other end has closed, what it sent before is still to be read.
  bool wrote = connection.write() > 0;
  try {
    if ((connection.events(polled) & ~POLLOUT) != 0) read = connection.read(handlers);
  } catch (const Malformed&) {
    return Served::malformed;
  }
  if (read == Inbox::Read::end) return Served::end;
  wrote |= connection.write() > 0;
  if (leaving_) connection.finish();
  if (wrote || read == Inbox::Read::bytes) progress_at_ = Clock::now();
  return read == Inbox::Read::bytes ? Served::heard : Served::nothing;
}

/// Goes on after an error in this process, to tell the others.
void Member::run() noexcept {
  leave_signals_to_the_program();
  std::vector<pollfd> polled;
  for (bool more = true; more;) {
    try {
      more = turn(polled);
    } catch (const std::exception& error) {
      more = failure().empty();
      fail(error.what());
    }
  }
}

/// False: the thread is to end.
bool Member::turn(std::vector<pollfd>& polled) {
  int time = 0;
  {
    const Lock lock(mutex_);
    if (leaving_ && has_left()) return false;
    polled.clear();
    wake_.add_to(polled);
    add_to(polled);
    time = poll_time();
  }
  ::poll(polled.data(), polled.size(), time);
  {
    const Lock lock(mutex_);
    wake_.clear();
    clock_.step();
    serve(polled);
  }
  ask_monitor();
  {
    const Lock lock(mutex_);
    tick();
  }
  abandon_if_due();
  return true;
}

int Member::poll_time() const {
  if (is_watching() && wanted_wave() != 0) return 0;
  return static_cast<int>((is_watching() ? kAskPeriod : kPollPeriod).count());
}

bool Member::is_monitor_due() const {
  return is_watching() && (wanted_wave() != 0 || Clock::now() - asked_at_ >= kAskPeriod);
}

/// Without the mutex: the monitor may take locks under which other threads call fail().
void Member::ask_monitor() {
  const Lock asking(asking_);
  std::vector<unsigned> lost;
  {
    const Lock lock(mutex_);
    if (!is_monitor_due()) return;
    asked_at_ = Clock::now();
    for (; told_losses_ < losses_.size(); ++told_losses_)
      lost.push_back(losses_[told_losses_].rank);
  }
  for (const unsigned rank : lost) monitor_->lose(rank);
  const termination::MemberReport report = monitor_->report();
  const Lock lock(mutex_);
  handle_own_report(report);
}

/// Without the mutex: the callback may call name().
void Member::abandon_if_due() {
  const Lock asking(asking_);
  std::string why;
  {
    const Lock lock(mutex_);
    if (!is_abandonment_due()) return;
    abandoned_ = true;
    why = failure_;
  }
  options_.abandon(why);
}

bool Member::is_abandonment_due() const {
  return options_.abandon && !abandoned_ && !leaving_ && !failure_.empty() &&
         clock_.now() - failed_at_ >= options_.patience_after_failure;
}

/// Stays while something can still be brought to the others, or they have not closed their ends.
bool Member::has_left() {
  if (!is_connected()) return true;
  const bool useful = failure_.empty() && has_unwritten();
  const auto limit = useful ? std::max(options_.silence, kGoodbye) : kGoodbye;
  return Clock::now() - progress_at_ > limit;
}

}  // namespace toroid::job
