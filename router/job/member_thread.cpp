#include "router/job/member_thread.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "router/job/launcher_events.hpp"
#include "router/job/process_info.hpp"
#include "router/threads/start_thread.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

/// Blocks SIGPIPE, because a write to a closed connection already reports an error. Blocks SIGINT
/// and SIGTERM, because the program's threads handle them. Otherwise, while the program's thread
/// loads a library with both signals blocked, this thread could get a signal and call a handler
/// that the library has installed.
void block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM}) ::sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

MemberThread::MemberThread(Bootstrap bootstrap, JobOptions options)
    : options_(std::move(options)),
      network_(bootstrap.key),
      member_(make_member(std::move(bootstrap), options_, this_process(), network_)) {}

void MemberThread::join() {
  member_->begin();
  if (bootstrap().size == 1) return;
  thread_ = start_thread("the thread of the job", [this] { run(); });
  if (bootstrap().events)
    bootstrap().events->listen([this](unsigned rank, const std::string& why) {
      const Lock lock(mutex_);  // called by a thread of the launcher's library
      member_->hear(rank, why);
    });
  Lock lock(mutex_);
  wait_until(lock, [this] { return member_->has_joined(); });
}

void MemberThread::leave() noexcept {
  if (!thread_.joinable()) return;
  if (bootstrap().events) bootstrap().events->stop(!failure().empty());
  {
    const Lock asking(asking_);  // a job that is being left must not be abandoned
    const Lock lock(mutex_);
    member_->leave();
  }
  network_.wake();
  thread_.join();
}

std::uint64_t MemberThread::refused() {
  const Lock lock(mutex_);
  return member_->refused();
}

std::string MemberThread::name(unsigned rank) {
  const Lock lock(mutex_);
  return member_->name(rank);
}

void MemberThread::set_place(unsigned rank, std::string place) {
  const Lock lock(mutex_);
  member_->set_place(rank, std::move(place));
}

std::vector<Blob> MemberThread::gather(BlobKind kind, Bytes mine) {
  Blob copy(mine.begin(), mine.end());
  std::vector<Blob> parts;
  {
    Lock lock(mutex_);
    member_->begin_gather(kind, std::move(copy));
    network_.wake();
    wait_until(lock, [this] { return member_->is_gathered(); });
    parts = member_->take_gathered();
  }
  const bool distributes = kind == BlobKind::all_gather && bootstrap().rank == 0;
  if (distributes && bootstrap().size > 1) distribute(parts);
  return parts;
}

/// Copies the bytes, perhaps gigabytes, without the mutex.
void MemberThread::distribute(const std::vector<Blob>& parts) {
  std::vector<std::size_t> sizes;
  for (const Blob& part : parts) sizes.push_back(part.size());
  const auto all = std::make_shared<Blob>();
  all->reserve(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  for (const Blob& part : parts) all->insert(all->end(), part.begin(), part.end());
  const Lock lock(mutex_);
  member_->distribute(sizes, all);
  network_.wake();
}

void MemberThread::watch(RunMonitor& monitor, milliseconds stall, OnLoss on_loss) {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  TOROID_CHECK(monitor_ == nullptr);
  monitor_ = &monitor;
  member_->begin_watch(stall, on_loss);
  network_.wake();
}

void MemberThread::end_watch() {
  const Lock asking(asking_);
  const Lock lock(mutex_);
  monitor_ = nullptr;
  member_->end_watch();
}

/// A job of one process has no thread: the program takes the turns.
termination::Verdict MemberThread::wait(milliseconds time) {
  const auto until = Clock::now() + time;
  Lock lock(mutex_);
  const auto has_verdict = [this] { return member_->verdict() != termination::Verdict::none; };
  const auto period = thread_.joinable() ? Member::kPollPeriod : Member::kAskPeriod;
  while (!has_verdict() && Clock::now() < until) {
    if (!thread_.joinable()) {
      member_->read();
      lock.unlock();
      ask_monitor();
      lock.lock();
      member_->check();
    }
    if (!changed_.wait_until(lock, std::min(until, Clock::now() + period), has_verdict))
      poll_user(lock);
  }
  return member_->verdict();
}

/// Calls options_.poll, without the mutex, if it is due. If the callback throws, fails the job,
/// because the interrupted wait cannot be resumed.
void MemberThread::poll_user(Lock& lock) {
  if (!options_.poll || Clock::now() - polled_user_at_ < Member::kPollPeriod) return;
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

std::vector<Loss> MemberThread::losses() {
  const Lock lock(mutex_);
  return member_->losses();
}

void MemberThread::fail(const std::string& why) noexcept {
  try {
    const Lock lock(mutex_);
    member_->fail(why);
    tell_program();
    network_.wake();
  } catch (const std::bad_alloc&) {
    std::terminate();  // the others will notice that this process has ended
  }
}

std::string MemberThread::failure() {
  const Lock lock(mutex_);
  return member_->failure();
}

bool MemberThread::is_leaving() {
  const Lock lock(mutex_);
  return member_->is_leaving();
}

/// Ends the program's wait if something has happened for which it may wait.
void MemberThread::tell_program() {
  if (member_->take_change()) changed_.notify_all();
}

/// The thread's function. After an error in this process it goes on, to tell the others.
void MemberThread::run() noexcept {
  block_signals();
  member_->dial();
  for (bool more = true; more;) {
    try {
      more = turn();
    } catch (const std::exception& error) {
      fail(error.what());
      more = !is_leaving();
      std::this_thread::sleep_for(Member::kPollPeriod);  // the next turn may fail as well
    }
  }
}

/// One turn. False if the thread must end.
bool MemberThread::turn() {
  milliseconds time{0};
  {
    const Lock lock(mutex_);
    member_->write();
    if (member_->has_left()) return false;
    time = member_->wait_time();
  }
  network_.wait(time);
  member_->dial();
  {
    const Lock lock(mutex_);
    member_->read();
    tell_program();
  }
  ask_monitor();
  {
    const Lock lock(mutex_);
    look_at_launcher();
    member_->check();
    tell_program();
  }
  abandon_if_due();
  return true;
}

/// Calls the monitor without the mutex: the monitor may take locks that other threads hold while
/// they call fail().
void MemberThread::ask_monitor() {
  const Lock asking(asking_);
  std::vector<unsigned> lost;
  {
    const Lock lock(mutex_);
    if (!member_->is_report_due()) return;
    lost = member_->begin_report();
  }
  for (const unsigned rank : lost) monitor_->lose(rank);
  const termination::MemberReport report = monitor_->report();
  const Lock lock(mutex_);
  member_->report(report);
}

/// Fails the job if this process's launcher has gone.
void MemberThread::look_at_launcher() {
  const auto& has_gone = bootstrap().launcher_has_gone;
  if (!has_gone || Clock::now() - looked_at_ < Member::kPollPeriod) return;
  looked_at_ = Clock::now();
  if (has_gone())
    member_->hear_end_of_launcher(
        fmt::format("the launcher of {} has gone", member_->name(bootstrap().rank)));
}

/// Calls options_.abandon if it is due, without the mutex, because the callback may call name().
void MemberThread::abandon_if_due() {
  if (!options_.abandon) return;
  const Lock asking(asking_);
  std::optional<std::string> why;
  {
    const Lock lock(mutex_);
    why = member_->take_abandonment();
  }
  if (why) options_.abandon(*why);
}

}  // namespace toroid::job
