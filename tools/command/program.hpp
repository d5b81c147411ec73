// Runs a command line as the program `toroid` does.
#pragma once

#include <string>
#include <vector>

namespace toroid {

/// Runs the command and returns its exit code: 0 success, 1 the run failed, 2 bad input, 128 plus
/// the signal's number if interrupted with a checkpoint. Prints every error as one line on standard
/// error; never throws. `arguments`: the words after the program's name.
int run_program(const std::vector<std::string>& arguments);

}  // namespace toroid
