// The end of a process that does not notice an interruption: while it builds a machine, plans or
// reads, nobody asks whether the user has interrupted it.
#pragma once

namespace toroid {

/// Ends the process a second after this, unless the interruption has been noticed by then: with
/// what an interrupted run says and `exit_code`. Nothing half-written stays: files of results have
/// no name until they are complete. To be called from the handler of the signal.
void end_in_a_second(int exit_code);
/// Somebody has noticed the interruption and ends the run in order, however long that takes.
void interruption_was_noticed();
/// From now on an interruption is left to be noticed: there is something to be kept.
void leave_interruptions_to_be_noticed();

}  // namespace toroid
