// What happens to the process while runs are going on: the interpreter ends, or the process is
// forked.
#pragma once

namespace toroid::python {

/// Exists while the calling thread is in a call that runs a command.
class InRun {
 public:
  InRun();
  ~InRun();
  InRun(const InRun&) = delete;
  InRun& operator=(const InRun&) = delete;

  /// Whether any thread is in such a call.
  static bool any();
};

/// From now on the interpreter is ending.
void begin_to_end();
bool is_ending();

/// Notes forks from now on.
void watch_forks();
/// Whether this process was forked while a thread of its parent was in a run. That thread does not
/// exist here, and what it had locked stays locked.
bool was_forked_during_a_run();

}  // namespace toroid::python
