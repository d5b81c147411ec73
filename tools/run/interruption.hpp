// Ctrl-C: an orderly end of the command, and an end of a process that does not notice it.
#pragma once

#include <stdexcept>
#include <string>

namespace toroid {

/// Makes throw_if_interrupted() throw RunFailed("interrupted") after SIGINT and SIGTERM, so that
/// destructors run and no half-written file stays.
void catch_interrupts();
bool is_interrupted();
void throw_if_interrupted();

/// From now on throw_if_interrupted() throws Interrupted instead: the run will save what it takes
/// to go on, but there is nothing to save yet.
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

/// For a run that ends in order, however long that takes: while a process builds a machine, plans
/// or reads, nobody asks whether it was interrupted, and it is ended a second after the signal with
/// what an interrupted run says. Nothing half-written stays: files of results have no name until
/// they are complete. From now on an interruption is left to be noticed: there is something to be
/// kept.
void leave_interruptions_to_be_noticed();

}  // namespace toroid
