#include "tools/run/children.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "router/job/launcher_pipe.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"

namespace toroid {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeToTerminate{1000};
constexpr timespec kLookPeriod{.tv_sec = 0, .tv_nsec = 50'000'000};

/// Whether the process has ended. Does not reap it, so its id is not reused yet.
bool has_ended(pid_t process) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process;
}

}  // namespace

/// Blocks the signals that wait() receives one by one.
Children::Children(milliseconds grace, bool goes_on)
    : grace_(grace), goes_on_(goes_on), joining_(make_pipe()) {
  ::fcntl(joining_.out.fd(), F_SETFL, O_NONBLOCK);
  ::sigemptyset(&signals_);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, number);
  ::sigprocmask(SIG_BLOCK, &signals_, &before_);
}

Children::~Children() {
  for (Child& child : children_) {
    child.kill();
    if (child.is_running()) ::waitpid(child.pid(), nullptr, 0);
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Children::start(ChildCommand command) {
  if (!command.input) {
    command.kept.push_back(joining_.in.fd());
    command.environment.emplace_back(job::kLauncherPipe, job::pipe_text(joining_.in.fd()));
  }
  children_.emplace_back(command);
}

int Children::wait() {
  while (any_running()) {
    const int number = ::sigtimedwait(&signals_, nullptr, &kLookPeriod);
    if (number > 0 && number != SIGCHLD) handle(number);
    read_pipe();
    reap();
    miss_those_who_did_not_join();
    press();
  }
  return exit_code();
}

bool Children::any_running() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.is_running(); });
}

/// Forwards the signal to local processes and asks remote ones to end.
void Children::handle(int number) {
  interrupted_ = true;
  for (Child& child : children_) child.interrupt(number);
  begin_grace();
}

void Children::reap() {
  for (Child& child : children_) {
    int status = 0;
    if (!child.is_running() || !has_ended(child.pid())) continue;
    read_pipe();
    if (!child.is_remote()) ofi::remove_shared_files_of(child.pid());
    ::waitpid(child.pid(), &status, 0);
    child.end(status);
    if (!child.has_failed()) continue;
    std::fputs(("toroid: " + child.obituary() + "\n").c_str(), stderr);
    if (!may_be_missed(child)) begin_grace();
  }
}

/// Whether the others continue without this process, which has failed. They do if the run goes on
/// without lost processes, and if this process is not process 0, had joined (remote processes are
/// assumed to have joined) and was ended by a signal or vanished. After a signal the exit code is
/// above 128, also through ssh.
bool Children::may_be_missed(const Child& child) const {
  return goes_on_ && child.rank() > 0 && (child.exit_code() > 128 || child.vanished()) &&
         (child.joins() || child.is_remote());
}

void Children::read_pipe() {
  std::uint32_t word = 0;
  while (::read(joining_.out.fd(), &word, sizeof word) == sizeof word) {
    const std::uint32_t rank = word & ~job::kEndsInOrder;
    if (rank >= children_.size()) continue;
    if (word == rank)
      children_[rank].join();
    else
      children_[rank].leave();
  }
}

void Children::miss_those_who_did_not_join() {
  const auto waits = [](const Child& child) { return child.is_running() && child.joins(); };
  if (stage_ != Stage::running || std::none_of(children_.begin(), children_.end(), waits)) return;
  for (const Child& child : children_) {
    if (child.is_running() || child.joins() || child.is_remote()) continue;
    std::fputs(("toroid: " + child.obituary() + " before it joined the others\n").c_str(), stderr);
    is_missing_ = true;
    begin_grace();
  }
}

void Children::begin_grace() {
  if (stage_ != Stage::running) return;
  stage_ = Stage::grace;
  until_ = Clock::now() + grace_;
}

/// Sends SIGTERM when the grace period has ended, and SIGKILL a second later, because a stopped
/// process does not react to SIGTERM.
void Children::press() {
  if (stage_ == Stage::running || stage_ == Stage::killed || Clock::now() < until_) return;
  if (stage_ == Stage::grace) {
    for (Child& child : children_) child.terminate();
    stage_ = Stage::terminated;
    until_ = Clock::now() + kTimeToTerminate;
  } else {
    for (Child& child : children_) child.kill();
    stage_ = Stage::killed;
  }
}

int Children::exit_code() const {
  int code = interrupted_ || is_missing_ ? 1 : 0;
  for (const Child& child : children_) {
    if (!child.has_failed() || child.was_ended_by_launcher()) continue;
    // Bad input (2) is the cause of the other failures.
    code = std::max(code, child.exit_code() == 2 ? 2 : 1);
  }
  return code;
}

}  // namespace toroid
