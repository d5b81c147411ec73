#include "tools/run/interruption.hpp"

#include <fmt/core.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "hal/check.hpp"
#include "hal/process_end.hpp"
#include "router/placement/launcher_environment.hpp"
#include "tools/run/embedding_program.hpp"

namespace toroid {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t goes_on = 0;  ///< the run can be resumed by the same command
std::atomic<bool> is_left = false;       ///< leave_interruptions_to_be_noticed() was called
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler reads it
volatile std::sig_atomic_t is_told_by_launcher = 0;
std::atomic<pid_t> launcher_process = 0;

/// "process 1 (host alpha, pid 77): " if a launcher has started this process as one of several.
std::string name_among_others() {
  const std::optional<FoundLauncher> found = launcher_of_several();
  if (!found) return {};
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), HOST_NAME_MAX);
  return fmt::format("process {} (host {}, pid {}): ", std::getenv(found->launcher->rank),
                     host.data(), ::getpid());
}

/// What throw_if_interrupted() says after each signal, and what the process prints then. Made
/// before signals are caught, because handlers cannot make texts.
struct InterruptionTexts {
  std::string name{};
  std::array<std::string, SIGTERM + 1> thrown{"interrupted"};  ///< [signal]; [0]: Python's
  std::array<std::string, SIGTERM + 1> printed{};
} interruption_texts;

void make_texts(const std::vector<int>& signals) {
  interruption_texts.name = name_among_others();
  for (const int number : signals) {
    const auto at = static_cast<std::size_t>(number);
    interruption_texts.thrown.at(at) = interruption_texts.name.empty()
                                           ? "interrupted"
                                           : fmt::format("interrupted by signal {}", number);
    interruption_texts.printed.at(at) = interruption_texts.name + interruption_texts.thrown.at(at);
  }
}

const std::string& thrown_text() {
  return interruption_texts.thrown[static_cast<std::size_t>(interrupted)];
}

/// Ends the process. Uses only functions that are allowed in signal handlers.
void end_now(int) {
  const int code = goes_on != 0 ? 128 + interrupted : 1;
  if (is_told_by_launcher != 0) ::_exit(code);
  end_process(interruption_texts.printed[static_cast<std::size_t>(interrupted)], code);
}

/// How often a signal has come.
struct SignalCounts {
  volatile std::sig_atomic_t here = 0;   ///< from outside
  volatile std::sig_atomic_t known = 0;  ///< from outside or forwarded, whichever is more
};
SignalCounts interrupts, terminations;

bool is_ignored(int number) {
  struct sigaction present {};
  ::sigaction(number, nullptr, &present);
  return present.sa_handler == SIG_IGN;
}

/// The first signal asks for an orderly end; if nothing reacts within a second, the process is
/// ended. A second signal of the same kind kills the process. A forwarded signal carries the number
/// of such signals that the parent process has received. If a signal goes to both processes, as
/// Ctrl-C does, it counts once. SIGHUP never kills: at the end of a terminal, the shell and the
/// kernel each send one.
void on_interrupt(int signal, siginfo_t* info, void*) {
  SignalCounts& counts = signal == SIGINT ? interrupts : terminations;
  if (info->si_code != SI_QUEUE) counts.here = counts.here + 1;
  const int number = info->si_code == SI_QUEUE ? info->si_value.sival_int : counts.here;
  if (number <= counts.known || (signal == SIGHUP && interrupted != 0)) return;
  counts.known = number;
  interrupted = signal;
  // A sender outside this namespace of processes, such as `docker stop`, has number 0.
  const pid_t launcher = launcher_process;
  if (launcher != 0 && info->si_code == SI_USER && info->si_pid == launcher)
    is_told_by_launcher = 1;
  if (number > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (is_left) return;
  std::signal(SIGALRM, end_now);
  ::alarm(1);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  const std::vector<int> signals = signals_that_end();
  make_texts(signals);
  for (const int number : signals) ::sigaddset(&action.sa_mask, number);
  for (const int number : signals) ::sigaction(number, &action, nullptr);
}

std::vector<int> signals_that_end() {
  std::vector signals{SIGINT, SIGTERM};
  if (!is_ignored(SIGHUP)) signals.push_back(SIGHUP);
  return signals;
}

bool is_interrupted() {
  if (const EmbeddingProgram* const host = embedding_program()) return host->is_interrupted();
  if (interrupted == 0) return false;
  ::alarm(0);  // the caller ends the run in order, however long that takes
  return true;
}

void throw_if_interrupted() {
  if (!is_interrupted()) return;
  if (goes_on != 0) throw Interrupted("interrupted; nothing to save yet");
  throw RunFailed(thrown_text());
}

std::string printed_failure(const std::string& what) {
  return interrupted != 0 && what == thrown_text() ? interruption_texts.name + what : what;
}

void note_launcher(pid_t launcher) {
  launcher_process = launcher;
}

bool is_ended_by_launcher() {
  return is_told_by_launcher != 0;
}

void begin_run_that_goes_on() {
  goes_on = 1;
}

Interrupted::Interrupted(const std::string& what)
    : std::runtime_error(what), signal_(interrupted) {}

void leave_interruptions_to_be_noticed() {
  is_left = true;
}

}  // namespace toroid
