#include "router/job/member.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <utility>

#include "router/job/launcher_events.hpp"
#include "router/threads/start_thread.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskPeriod{5};       // between two calls of the monitor
constexpr milliseconds kGoodbye{1000};      // time for the others to close their ends
constexpr milliseconds kLastWords{250};     // time for a dead process's last messages to arrive
constexpr std::size_t kMaxText = 64 << 10;  // bytes

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

Member::Member(Bootstrap bootstrap, JobOptions options)
    : bootstrap_(std::move(bootstrap)),
      options_(std::move(options)),
      tls_(bootstrap_.key),
      roster_(bootstrap_.size),
      peers_(bootstrap_.size),
      clock_(std::min<Clock::duration>(5 * kPollPeriod, options_.silence / 4)) {
  roster_[bootstrap_.rank] = this_process();
}

Member::~Member() = default;

void Member::join() {
  prepare();
  if (bootstrap_.size == 1) return;
  thread_ = start_thread("the thread of the job", [this] { run(); });
  if (bootstrap_.events)
    bootstrap_.events->listen([this](unsigned rank, const std::string& why) { hear(rank, why); });
  Lock lock(mutex_);
  wait_until(lock, [this] { return joined_ || is_deserted_by(0); });
}

void Member::leave() noexcept {
  if (!thread_.joinable()) return;
  if (bootstrap_.events) bootstrap_.events->stop(!failure().empty());
  {
    const Lock asking(asking_);  // a job that is being left must not be abandoned
    const Lock lock(mutex_);
    leaving_ = true;
    moved_at_ = Clock::now();
    for (Peer& peer : peers_)
      if (peer.connection) peer.connection->push({{"is", "goodbye"}});
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

/// If the callback throws, fails the job, because the interrupted wait cannot be resumed.
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
    set_failure(fmt::format("{}: {}", roster_.name(bootstrap_.rank), why), true);
  } catch (const std::bad_alloc&) {
    std::terminate();  // the others will notice that this process has ended
  }
}

std::string Member::failure() {
  const Lock lock(mutex_);
  return failure_;
}

void Member::set_failure(std::string why, bool own) {
  if (!failure_.empty() || leaving_) return;
  failure_ = why.substr(0, kMaxText);
  failed_at_ = clock_.now();
  if (own || bootstrap_.rank == 0)
    for (Peer& peer : peers_)
      if (peer.connection) send_failure(*peer.connection);
  changed_.notify_all();
  wake_thread();
}

void Member::decide(termination::Verdict verdict) {
  if (verdict_ != termination::Verdict::none) return;
  verdict_ = verdict;
  changed_.notify_all();
}

bool Member::is_deserted_by(unsigned rank) {
  if (peers_[rank].left) set_failure(roster_.name(rank) + " has ended before the others");
  return peers_[rank].left;
}

bool Member::is_leaving() {
  const Lock lock(mutex_);
  return leaving_;
}

std::uint64_t Member::refused() {
  const Lock lock(mutex_);
  return refused_others() + malformed_;
}

void Member::add_peer(unsigned rank, std::unique_ptr<Connection> connection) {
  peers_[rank].connection = std::move(connection);
  peers_[rank].heard = clock_.now();
  if (!failure_.empty()) send_failure(*peers_[rank].connection);
}

void Member::send_failure(Connection& connection) const {
  connection.drop_unwritten();
  connection.send({{"is", "failure"}, {"why", failure_}});
}

void Member::send_to_all(const Message& message) {
  for (Peer& peer : peers_)
    if (peer.connection) peer.connection->send(message);
}

/// Treats silent peers as dead. Sends heartbeats only to peers to which nothing else waits to be
/// sent.
void Member::check_peers() {
  const bool due = is_heartbeat_due();
  for (unsigned rank = 0; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    if (!peer.connection) continue;
    if (clock_.now() - peer.heard > options_.silence)
      miss(rank, fmt::format("{} has not answered for {:.1f} s", roster_.name(rank),
                             std::chrono::duration<double>(options_.silence).count()));
    if (due && peer.connection && !peer.connection->has_unwritten())
      peer.connection->send(sign_of_life());
  }
}

/// Called by a thread of the launcher's library.
void Member::hear(unsigned rank, const std::string& why) {
  const Lock lock(mutex_);
  if (rank < peers_.size() && rank != bootstrap_.rank)
    notices_.push_back({rank, why, clock_.now()});
}

/// Acts on the launcher's notices after a delay, because the last messages of a dead process, or
/// its goodbye, may still be in flight.
void Member::check_notices() {
  while (!notices_.empty() && clock_.now() - notices_.front().at > kLastWords) {
    const Notice notice = std::move(notices_.front());
    notices_.erase(notices_.begin());
    believe(notice.rank, notice.why);
  }
}

/// Acts on a notice only if this process is connected with the dead process or waits for it to
/// join. Losses of other processes are announced by process 0.
void Member::believe(unsigned rank, const std::string& why) {
  const bool awaited = !joined_ && (bootstrap_.rank == 0 || rank == 0);
  if (peers_[rank].left) return;
  if (peers_[rank].connection) return miss(rank, roster_.name(rank) + " died: " + why);
  if (awaited) set_failure(fmt::format("process {} did not join: {}", rank, why));
}

bool Member::is_heartbeat_due() {
  const auto now = Clock::now();
  const auto half = std::max(stall_ / 20, kAskPeriod);  // two heartbeats per sample of StallWatch
  const auto period = is_watching() ? std::min(options_.heartbeat, half) : options_.heartbeat;
  if (now - beat_at_ < period) return false;
  beat_at_ = now;
  return true;
}

void Member::serve_peer(unsigned rank) {
  Peer& peer = peers_[rank];
  const std::uint64_t before = peer.connection->bytes_read();
  const auto end = peer.connection->read([&](const Message& message, std::vector<Blob> blobs) {
    handle_any(rank, message, std::move(blobs));
  });
  if (peer.connection->bytes_read() != before) peer.heard = clock_.now();
  if (end || peer.left) part(rank, end.value_or(End::lost));
}

void Member::handle_any(unsigned rank, const Message& message, std::vector<Blob> blobs) {
  const std::string is = message.at("is");
  if (is == "heartbeat") return;
  if (is == "failure") return set_failure(message.at("why"));
  if (is != "goodbye") return handle(rank, message, std::move(blobs));
  peers_[rank].left = true;
  changed_.notify_all();
}

void Member::part(unsigned rank, End how) {
  peers_[rank].connection.reset();
  if (how == End::malformed) ++malformed_;
  if (how == End::malformed)
    set_failure(roster_.name(rank) + " sent a malformed message (another version of toroid?)");
  else if (!peers_[rank].left)
    miss(rank, roster_.name(rank) + " died: connection closed");
}

/// The thread's function. After an error in this process it goes on, to tell the others.
void Member::run() noexcept {
  block_signals();
  try {
    connect();
  } catch (const std::exception& error) {
    const Lock lock(mutex_);
    set_failure(error.what());
  }
  for (bool more = true; more;) {
    try {
      more = turn();
    } catch (const std::exception& error) {
      fail(error.what());
      more = !is_leaving();
      std::this_thread::sleep_for(kPollPeriod);  // the next turn may fail as well
    }
  }
}

/// One iteration of the thread. False if the thread must end.
bool Member::turn() {
  milliseconds time{0};
  {
    const Lock lock(mutex_);
    write_all();
    if (leaving_ && has_left()) return false;
    time = wait_time();
  }
  loop_.run(time);
  {
    const Lock lock(mutex_);
    clock_.step();
    for (unsigned rank = 0; rank < peers_.size(); ++rank)
      if (peers_[rank].connection) serve_peer(rank);
    serve_others();
  }
  ask_monitor();
  {
    const Lock lock(mutex_);
    if (!leaving_) check_peers();
    if (!leaving_) check_notices();
    tick();
  }
  abandon_if_due();
  return true;
}

void Member::write_all() {
  std::uint64_t moved = 0;
  for (Peer& peer : peers_) {
    if (!peer.connection) continue;
    peer.connection->write();
    if (leaving_) peer.connection->finish();
    moved += peer.connection->bytes_moved();
  }
  if (moved != std::exchange(moved_, moved)) moved_at_ = Clock::now();
}

milliseconds Member::wait_time() const {
  for (const Peer& peer : peers_)
    if (peer.connection && peer.connection->has_more()) return milliseconds(0);
  if (is_watching() && wanted_wave() != 0) return milliseconds(0);
  return is_watching() ? kAskPeriod : kPollPeriod;
}

bool Member::is_monitor_due() const {
  return is_watching() && (wanted_wave() != 0 || Clock::now() - asked_at_ >= kAskPeriod);
}

/// Calls the monitor without the mutex: the monitor may take locks that other threads hold while
/// they call fail().
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

/// Calls options_.abandon if it is due, without the mutex, because the callback may call name().
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

/// Whether the thread may end: all connections are closed, or nothing has moved for too long. This
/// time is longer while messages can still be delivered.
bool Member::has_left() const {
  bool connected = false;
  bool unwritten = false;
  for (const Peer& peer : peers_) {
    connected |= peer.connection != nullptr;
    unwritten |= peer.connection && peer.connection->has_unwritten();
  }
  const bool useful = failure_.empty() && unwritten;
  return !connected ||
         Clock::now() - moved_at_ > (useful ? std::max(options_.silence, kGoodbye) : kGoodbye);
}

}  // namespace toroid::job
