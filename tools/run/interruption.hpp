// Ctrl-C: an orderly end of the command, and an end of a process that does not notice it.
#pragma once

#include <stdexcept>
#include <string>

namespace toroid {

/// Makes throw_if_interrupted() throw RunFailed("interrupted") after SIGINT and SIGTERM, so that
/// destructors run and no half-written file stays. A process that does not notice the signal within
/// a second, because it builds a machine, plans or reads, is ended with the same message. Files of
/// results have no name until they are complete, so none is left half-written then either.
void catch_interrupts();
bool is_interrupted();
void throw_if_interrupted();

/// From now on throw_if_interrupted() throws Interrupted: the run can go on later, and has saved
/// nothing yet.
void begin_run_that_goes_on();

/// A run that goes on when its command is typed again was interrupted. The command exits with 128
/// plus the number of the signal.
class Interrupted : public std::runtime_error {
 public:
  /// REQUIRES: is_interrupted().
  explicit Interrupted(const std::string& what);
  int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

/// From now on the process is not ended after that second: it has something to keep, and ends in
/// order however long that takes.
void leave_interruptions_to_be_noticed();

}  // namespace toroid
