// Runs a command line as the program `toroid` does.
#pragma once

#include <string>
#include <vector>

namespace toroid {

/// Runs the command and returns its exit code: 0 for success, 1 if the run failed, 2 for bad input,
/// and 128 plus the signal's number if a run with a checkpoint was interrupted. Prints every error
/// as one line on standard error; never throws. `arguments` are the words after the program's name.
int run_program(const std::vector<std::string>& arguments);

}  // namespace toroid
