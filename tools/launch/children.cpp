#include "tools/launch/children.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tools/launch/child.hpp"

namespace toroid {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeToTerminate{1000};
constexpr timespec kLookPeriod{.tv_sec = 0, .tv_nsec = 50'000'000};

}  // namespace

/// Blocks the signals: wait() takes them one by one.
Children::Children(milliseconds grace) : grace_(grace) {
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

int Children::wait() {
  while (any_running()) {
    const int number = ::sigtimedwait(&signals_, nullptr, &kLookPeriod);
    if (number > 0 && number != SIGCHLD) handle(number);
    reap();
    press();
  }
  return exit_code();
}

bool Children::any_running() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.is_running(); });
}

/// Passes the signal on to local processes and asks those on other hosts to end.
void Children::handle(int number) {
  interrupted_ = true;
  for (Child& child : children_) child.interrupt(number);
  begin_grace();
}

void Children::reap() {
  for (Child& child : children_) {
    int status = 0;
    if (!child.is_running() || ::waitpid(child.pid(), &status, WNOHANG) != child.pid()) continue;
    child.end(status);
    if (child.exit_code() == 0) continue;
    std::fputs(("toroid: " + child.obituary() + "\n").c_str(), stderr);
    begin_grace();
  }
}

void Children::begin_grace() {
  if (stage_ != Stage::running) return;
  stage_ = Stage::grace;
  until_ = Clock::now() + grace_;
}

/// Goes on to SIGTERM when the grace has ended, then to SIGKILL: a stopped process does not notice
/// SIGTERM.
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
  int code = interrupted_ ? 1 : 0;
  for (const Child& child : children_) {
    if (child.exit_code() == 0 || child.was_ended_by_launcher()) continue;
    code = std::max(code, child.exit_code() == 2 ? 2 : 1);  // what was typed explains the rest
  }
  return code;
}

}  // namespace toroid
