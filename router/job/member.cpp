#include "router/job/member.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/awake_clock.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskPeriod{5};
constexpr milliseconds kGoodbye{1000};  ///< for the others to close their ends

}  // namespace

Party::Party(Membership membership, JobOptions options)
    : membership_(std::move(membership)),
      options_(std::move(options)),
      roster_(membership_.size),
      clock_(std::min<Clock::duration>(5 * kPollPeriod, options_.silence / 4)) {
  roster_[membership_.rank] = this_process();
}

void Party::start() {
  thread_ = std::jthread([this] { run(); });
}

void Party::leave() noexcept {
  if (!thread_.joinable()) return;
  {
    const Lock asking(asking_);  // what is left is not abandoned
    const Lock lock(mutex_);
    leaving_ = true;
    progress_at_ = Clock::now();
    say_goodbye();
  }
  wake_thread();
  thread_.join();
}

std::string Party::name(unsigned rank) {
  const Lock lock(mutex_);
  return roster_.name(rank);
}

void Party::set_place(unsigned rank, std::string place) {
  const Lock lock(mutex_);
  roster_.set_place(rank, std::move(place));
}

void Party::watch(RunMonitor& monitor, milliseconds stall) {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  TOROID_CHECK(monitor_ == nullptr);
  monitor_ = &monitor;
  stall_ = stall;
  verdict_ = Verdict::none;
  ++watch_;
  begin_watch();
  wake_thread();
}

void Party::end_watch() {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  monitor_ = nullptr;
}

Verdict Party::wait(milliseconds time) {
  const auto until = Clock::now() + time;
  Lock lock(mutex_);
  const auto has_verdict = [this] { return current_verdict() != Verdict::none; };
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

/// What has been begun cannot be gone on with after an exception: the others have to know.
void Party::poll_user(Lock& lock) {
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

void Party::fail(const std::string& why) noexcept {
  try {
    const Lock lock(mutex_);
    set_failure(fmt::format("{}: {}", roster_.name(membership_.rank), why), true);
  } catch (const std::bad_alloc&) {
    std::terminate();  // its end tells the others
  }
}

std::string Party::failure() {
  const Lock lock(mutex_);
  return failure_;
}

void Party::set_failure(std::string why, bool own) {
  if (!failure_.empty() || leaving_) return;
  failure_ = std::move(why);
  failed_at_ = clock_.now();
  spread_failure(own);
  changed_.notify_all();
  wake_thread();
}

void Party::decide(Verdict verdict) {
  if (verdict_ != Verdict::none) return;
  verdict_ = verdict;
  changed_.notify_all();
}

bool Party::beat() {
  const auto now = Clock::now();
  const auto half = std::max(stall_ / 20, kAskPeriod);  // twice between two looks for a standstill
  const auto period = is_watching() ? std::min(options_.heartbeat, half) : options_.heartbeat;
  if (now - beat_at_ < period) return false;
  beat_at_ = now;
  return true;
}

std::string Party::unanswered() const {
  const double seconds = std::chrono::duration<double>(options_.silence).count();
  return fmt::format(" has not answered for {:.1f} s", seconds);
}

Party::Served Party::serve_connection(Connection& connection, const std::vector<pollfd>& polled,
                                      const Handlers& handlers) {
  Inbox::Read read = Inbox::Read::nothing;
  // Where nothing can be written, the end is still to be read, after the other's last words.
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

/// Goes on after an error of its own, to tell the others.
void Party::run() noexcept {
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

/// False: it is over.
bool Party::turn(std::vector<pollfd>& polled) {
  int time = 0;
  {
    const Lock lock(mutex_);
    if (leaving_ && has_left()) return false;
    polled.clear();
    wake_.join(polled);
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

int Party::poll_time() const {
  if (is_watching() && wanted_wave() != 0) return 0;
  return static_cast<int>((is_watching() ? kAskPeriod : kPollPeriod).count());
}

bool Party::is_to_ask() const {
  return is_watching() && (wanted_wave() != 0 || Clock::now() - asked_at_ >= kAskPeriod);
}

/// Not with the mutex: the monitor may take locks of its own, under which others call fail().
void Party::ask_monitor() {
  const Lock asking(asking_);
  {
    const Lock lock(mutex_);
    if (!is_to_ask()) return;
    asked_at_ = Clock::now();
  }
  const RunReport report = monitor_->report();
  const Lock lock(mutex_);
  take_report(report);
}

/// Not with the mutex: who is called may ask for names.
void Party::abandon_if_due() {
  const Lock asking(asking_);
  std::string why;
  {
    const Lock lock(mutex_);
    if (!is_to_abandon()) return;
    abandoned_ = true;
    why = failure_;
  }
  options_.abandon(why);
}

bool Party::is_to_abandon() const {
  return options_.abandon && !abandoned_ && !leaving_ && !failure_.empty() &&
         clock_.now() - failed_at_ >= options_.patience_after_failure;
}

/// As long as something can still be brought to the others, or they close their ends.
bool Party::has_left() {
  if (!is_connected()) return true;
  const bool useful = failure_.empty() && has_unwritten();
  const auto limit = useful ? std::max(options_.silence, kGoodbye) : kGoodbye;
  return Clock::now() - progress_at_ > limit;
}

}  // namespace toroid::job
