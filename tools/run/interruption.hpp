// Ctrl-C: ends a command in order, and ends a process that does not notice the signal.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace toroid {

/// The signals that end this program in order: SIGINT, SIGTERM and, unless it is ignored (nohup),
/// SIGHUP.
std::vector<int> signals_that_end();

/// Makes throw_if_interrupted() throw RunFailed("interrupted") after one of signals_that_end(), so
/// that destructors run and no half-written file remains. A process that does not notice the signal
/// within a second (because it builds a machine, plans or reads) is ended with the same message.
/// This too leaves no half-written results, since result files have no name until they are
/// complete. If a launcher has started the process as one of several, the message names the signal.
void catch_interrupts();
/// The message of a failure as this process prints it: in a run of several processes an
/// interruption begins with the name of this process.
std::string printed_failure(const std::string& what);

/// Signals that this process sends come from the launcher, which prints why it sends them.
void note_launcher(pid_t launcher);
/// Whether the launcher has told this process to end, so that it need not say why it ends.
bool is_ended_by_launcher();

bool is_interrupted();
void throw_if_interrupted();

/// From now on throw_if_interrupted() throws Interrupted: the run can be resumed and has saved
/// nothing yet.
void begin_run_that_goes_on();

/// A run that the same command can resume was interrupted. The command exits with 128 plus the
/// number of the signal.
class Interrupted : public std::runtime_error {
 public:
  /// REQUIRES: is_interrupted().
  explicit Interrupted(const std::string& what);
  int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

/// From now on the process is not ended after a second: it has state to save and ends in order,
/// however long that takes.
void leave_interruptions_to_be_noticed();

}  // namespace toroid
