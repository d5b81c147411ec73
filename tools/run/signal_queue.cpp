#include "tools/run/signal_queue.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "hal/check.hpp"
#include "router/threads/system_failure.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {

SignalQueue::SignalQueue() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  for (const int number : signals_that_end()) ::sigaddset(&signals, number);
  ::signal(SIGCHLD, SIG_DFL);  // a caller may ignore it, and then no child can be waited for
  ::sigprocmask(SIG_BLOCK, &signals, &before_);
  queue_ = job::Socket(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!queue_) throw RunFailed(open_failure("a queue of signals", last_error()));
}

SignalQueue::~SignalQueue() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalQueue::next() const {
  signalfd_siginfo info{};
  return ::read(queue_.fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                : 0;
}

}  // namespace toroid
