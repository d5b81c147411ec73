// toroid launch: refusals, and quoting for shells.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid::testing {
namespace {

TEST(LaunchCommand, RefusesInvalidHostsAndCommands) {
  const TemporaryDirectory directory;
  directory.save("empty", "# nobody\n");
  directory.save("option", "good\n-oProxyCommand=evil\n");
  directory.save("slots", "good slots=0\n");
  directory.save("word", "good slots=2 more\n");
  directory.save("small", "good slots=2\n");
  const auto refuses = [&](const Arguments& options, const std::vector<std::string>& words) {
    expect_refusal(directory, Arguments{"launch"} + options + Arguments{"--", "true"}, words);
  };
  refuses({}, {"-n"});
  refuses({"-n", "0"}, {"-n"});
  refuses({"-n", "2", "--port", "99"}, {"--hosts"});
  refuses({"--hosts", "missing"}, {"missing: cannot be read: No such file or directory"});
  refuses({"--hosts", "empty"}, {"names no host"});
  refuses({"--hosts", "/dev/zero"}, {"/dev/zero: expected at most"});
  refuses({"--hosts", "option"}, {"option line 2", "is not a host name"});
  refuses({"--hosts", "slots"}, {"slots line 1", "slots=0"});
  refuses({"--hosts", "word"}, {"'more'"});
  refuses({"--hosts", "small", "-n", "3"}, {"2 slots", "3 processes"});
  expect_refusal(directory, {"launch", "-n", "2"}, {"command"});
  expect_refusal(directory, {"launch", "-n", "2", "--", "./nothing"}, {"cannot run './nothing'"});
}

TEST(LaunchCommand, QuotesForAShell) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace toroid::testing
