#include "tools/run/interrupt_timeout.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>

namespace toroid {
namespace {

volatile std::sig_atomic_t code = 1;
std::atomic<bool> is_left = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal's handler reads it

/// Only what a signal's handler may do.
void end_now(int) {
  constexpr char kSaid[] = "toroid: interrupted\n";
  std::size_t done = 0;
  while (done < sizeof kSaid - 1) {
    const ssize_t more = ::write(STDERR_FILENO, kSaid + done, sizeof kSaid - 1 - done);
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  ::_exit(code);
}

}  // namespace

void end_in_a_second(int exit_code) {
  if (is_left) return;
  code = exit_code;
  std::signal(SIGALRM, end_now);
  ::alarm(1);
}

void interruption_was_noticed() {
  ::alarm(0);
}

void leave_interruptions_to_be_noticed() {
  is_left = true;
}

}  // namespace toroid
