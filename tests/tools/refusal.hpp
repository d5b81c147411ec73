// Every bad input must cause exit code 2 and one clear line, and leave no files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {

/// Runs the command in `directory` and expects a refusal that contains each of `words`. `run` is
/// run_command or run_process.
inline void expect_refusal(const TemporaryDirectory& directory, const Arguments& arguments,
                           const std::vector<std::string>& words,
                           decltype(&run_process) run = run_command) {
  std::string shown;
  for (const std::string& argument : arguments) shown += " '" + argument + "'";
  SCOPED_TRACE("toroid" + shown);
  const std::vector<std::string> before = directory.entries();
  const Ended ended = run(arguments, {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err_lines(), 1) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("toroid: ") && ended.err.ends_with("\n")) << ended.err;
  for (const std::string& word : words) EXPECT_THAT(ended.err, ::testing::HasSubstr(word));
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(directory.entries(), before);
}

/// Returns the arguments with output files that a refused run must not create.
inline Arguments with_outputs(const Arguments& arguments) {
  Arguments all = arguments + Arguments{"--json", "result.json"};
  return arguments.front() == "fft" ? all + Arguments{"--out", "result.npy"} : all;
}

}  // namespace toroid::testing
