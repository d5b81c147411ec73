// toroid launch, with shells as its processes and a script in place of ssh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/scale.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Arguments launch(const Arguments& options, const std::string& script) {
  return Arguments{"launch"} + options + Arguments{"--", "sh", "-c", script};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Runs the command on this host, as a process that does not end together with ssh, and logs the
/// call.
constexpr const char* kHere = "echo \"$1 $2 $3\" >> ssh.log; sh -c \"$4\" <&0; exit $?";

const Arguments kHello = {"hello", "--torus", "2x2x1"};

/// Replaces ssh by a script.
class ReplacedSsh {
 public:
  explicit ReplacedSsh(const TemporaryDirectory& directory, const std::string& script = kHere) {
    directory.save("ssh", "#!/bin/sh\n" + script + "\n");
    fs::permissions(directory / "ssh", fs::perms::owner_all);
    ::setenv("TOROID_SSH", (directory / "ssh").c_str(), 1);
  }
  ~ReplacedSsh() { ::unsetenv("TOROID_SSH"); }
  ReplacedSsh(const ReplacedSsh&) = delete;
  ReplacedSsh& operator=(const ReplacedSsh&) = delete;
};

void wait_for_file(const std::string& path) {
  EXPECT_TRUE(comes_true([&] { return fs::exists(path); }));
}

std::string all_command_lines() {
  std::string all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

constexpr const char* kShow =
    "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR ${#TOROID_JOB_KEY}";

TEST(LaunchCommand, TellsEachProcessItsPlace) {
  const Ended ended = run_process(launch({"-n", "3"}, kShow));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(
      lines_of(ended.out),
      UnorderedElementsAre("0 3 0 3 127.0.0.1 64", "1 3 1 3 127.0.0.1 64", "2 3 2 3 127.0.0.1 64"));
}

TEST(LaunchCommand, GivesOnlyProcess0AListeningSocket) {
  const Ended ended = run_process(
      launch({"-n", "2"}, "test -S /proc/self/fd/${TOROID_LISTENER_FD:-none}; echo $RANK $?"));
  EXPECT_THAT(lines_of(ended.out), UnorderedElementsAre("0 0", "1 1"));
}

TEST(LaunchCommand, ExitCodeIs2IfAProcessExitsWith2AndElse1IfAnyFails) {
  for (const auto& [codes, expected] :
       {std::pair{"0 0 0", 0}, {"0 2 0", 2}, {"2 2 2", 2}, {"0 2 1", 2}, {"3 0 0", 1}}) {
    SCOPED_TRACE(codes);
    const std::string script = std::string("set -- ") + codes + "; shift $RANK; exit $1";
    EXPECT_EQ(run_process(launch({"-n", "3"}, script)).exit_code, expected);
  }
}

TEST(LaunchCommand, ReportsHowProcessesFailed) {
  const Ended ended =
      run_process(launch({"-n", "3"}, "case $RANK in 1) exit 5;; 2) kill -9 $$;; esac"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err_lines(), 2);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("toroid: rank 1 on "), HasSubstr("ended with exit code 5"),
                    HasSubstr("toroid: rank 2 on "), HasSubstr("was killed by signal 9")));
}

TEST(LaunchCommand, EndsTheOthersAfterTheGracePeriod) {
  const Ended ended = run_process(launch(
      {"-n", "3", "--grace", "1"},
      "case $RANK in 0) exit 2;; 1) kill -STOP $$;; 2) trap '' TERM; sleep 600; sleep 600;; esac"));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err_lines(), 3) << ended.err;
  const std::string by_launcher = ", ended by the launcher because of rank 0\n";
  EXPECT_THAT(ended.err, HasSubstr("was killed by signal 15" + by_launcher));
  EXPECT_THAT(ended.err, HasSubstr("was killed by signal 9" + by_launcher));
}

TEST(LaunchCommand, EndsTheGracePeriodIfOnlyStoppedProcessesAreLeft) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "alpha\nbeta\n");
  for (const Arguments& where : {Arguments{"-n", "2"}, {"--hosts", "hosts"}})
    for (const std::string rank : {"0", "1"}) {
      const Ended ended = run_process(launch(where + Arguments{"--grace", "1000000"},
                                             "[ $RANK = " + rank + " ] && kill -STOP $$; exit 5"),
                                      {.directory = directory.path()});
      EXPECT_EQ(ended.exit_code, 1);
      EXPECT_THAT(ended.err, HasSubstr("ended with exit code 5\n"));
      EXPECT_THAT(ended.err,
                  HasSubstr("was killed by signal 15, ended by the launcher because of rank " +
                            std::string(rank == "0" ? "1\n" : "0\n")));
    }
}

/// The others would wait for a minute.
TEST(LaunchCommand, EndsTheRunIfAProcessIsStoppedBeforeItJoins) {
  const Ended ended = run_process(
      {"launch", "-n", "2", "--grace", "0", "--", "sh", "-c",
       "[ $RANK = 1 ] && kill -STOP $$; exec \"$0\" hello --torus 2 --fabric ofi", TOROID_COMMAND});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err,
              ContainsRegex("toroid: rank 1 on .* .pid [0-9]+. has been stopped for 5 s\n"));
  EXPECT_THAT(ended.err, HasSubstr(", ended by the launcher because of rank 1\n"));
}

TEST(LaunchCommand, KeepsTheKeyOutOfCommandLines) {
  for (const bool remote : {false, true}) {
    const TemporaryDirectory directory;
    const ReplacedSsh ssh(directory);
    directory.save("hosts", "alpha\nbeta\n");
    const Arguments options = remote ? Arguments{"--hosts", "hosts"} : Arguments{"-n", "2"};
    RunningCommand command(
        launch(options,
               "if [ $RANK = 1 ]; then echo $TOROID_JOB_KEY > new; mv new key; fi; "
               "while [ ! -e done ]; do sleep 0.1; done"),
        {.directory = directory.path()});
    wait_for_file(directory / "key");
    const std::string key = lines_of(directory.content_of("key")).at(0);
    const std::string shown = all_command_lines();
    directory.save("done", "");
    EXPECT_EQ(key.size(), 64u);
    EXPECT_THAT(shown, AllOf(HasSubstr("launch"), Not(HasSubstr(key))));
    EXPECT_EQ(command.wait().exit_code, 0);
  }
}

TEST(LaunchCommand, ReachesHostsBySsh) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "# two hosts\nme@alpha slots=2\n\nbeta slots=4 # more than needed\n");
  const Ended ended = run_process(
      launch({"--hosts", "hosts", "-n", "3"}, std::string(kShow) + "; pwd; echo \"it's\""),
      {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const std::string at = directory.path();
  EXPECT_THAT(lines_of(ended.out),
              UnorderedElementsAre("0 3 0 2 alpha 64", "1 3 1 2 alpha 64", "2 3 0 1 alpha 64", at,
                                   at, at, "it's", "it's", "it's"));
  EXPECT_THAT(lines_of(directory.content_of("ssh.log")),
              UnorderedElementsAre("-T -oBatchMode=yes me@alpha", "-T -oBatchMode=yes beta"));
}

TEST(LaunchCommand, PassesArgumentsToTheProgramInPlaceOfSsh) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory, "echo $1 $2 $5; eval \"$6\"");
  ::setenv("TOROID_SSH", ("  " + std::string(directory / "ssh") + "  -p 22").c_str(), 1);
  directory.save("hosts", "alpha\n");
  EXPECT_EQ(
      run_process(launch({"--hosts", "hosts"}, "echo up"), {.directory = directory.path()}).out,
      "-p 22 alpha\nup\n");
}

/// A program in place of ssh that answers like a launcher on hosts h0, h1, ..., logs how many have
/// not answered yet, and waits until all have been asked.
constexpr const char* kAnswers =
    "rank=${3#h}\n"
    "echo + >> log\n"
    "[ $(grep -c + log) -lt $(grep -c h hosts) ] || : > all\n"
    "sleep 0.1\n"
    "echo - >> log\n"
    "printf '\\036toroid launch: %s 0 0\\n' $rank >&2\n"
    "until [ -e all ]; do sleep 0.5; done\n"
    "printf '\\036toroid launch: %s 6 0\\n' $rank >&2\n";

TEST(LaunchCommand, ReachesManyHostsWithOneDescriptorEachAndFewAtATime) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory, kAnswers);
  std::string hosts;
  for (int i = 0; i < 200; ++i) hosts += "h" + std::to_string(i) + "\n";
  directory.save("hosts", hosts);
  const Ended ended =
      run_process({"-c", "ulimit -n 256; exec \"$0\" launch --hosts hosts -- true", TOROID_COMMAND},
                  {.directory = directory.path(), .program = "/bin/sh"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  int asked = 0, most = 0, all = 0;
  for (const std::string& line : lines_of(directory.content_of("log"))) {
    all += line == "+";
    asked += line == "+" ? 1 : -1;
    most = std::max(most, asked);
  }
  EXPECT_EQ(all, 200);
  EXPECT_LT(most, 10);  // sshd drops connections from the tenth on
}

TEST(LaunchCommand, RefusesMoreHostsThanOpenFiles) {
  const TemporaryDirectory directory;
  directory.save("hosts", "a\nb\nc\n");
  const Ended ended =
      run_process({"-c", "ulimit -n 24; exec \"$0\" launch --hosts hosts -- true", TOROID_COMMAND},
                  {.directory = directory.path(), .program = "/bin/sh"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err, "toroid: 3 hosts need 35 open files, but only 24 are allowed (ulimit -n)\n");
}

TEST(LaunchCommand, RefusesHostsInADirectoryThatHasBeenRemoved) {
  const TemporaryDirectory directory;
  directory.save("hosts", "a\n");
  const Ended ended = run_process(
      {"-c", "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" launch --hosts \"$1\" -- true",
       TOROID_COMMAND, directory / "hosts"},
      {.directory = directory.path(), .program = "/bin/sh"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("toroid: the present directory cannot be named"));
}

TEST(LaunchCommand, DoesNotPassOnTheSocketOfALauncherAroundIt) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "alpha\n");
  const Ended ended = run_process({"launch", "-n", "1", "--", TOROID_COMMAND, "launch", "--hosts",
                                   "hosts", "--", "sh", "-c", "echo ${TOROID_LISTENER_FD-none}"},
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.out, "none\n") << ended.err;
}

TEST(LaunchCommand, NamesAHostThatCannotBeReachedAndStartsNoMore) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory, "echo $3 >> ssh.log; [ $3 = a ] && exit 255; sleep 600");
  directory.save("hosts", "a slots=2\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  const Ended ended = run_process(launch({"--hosts", "hosts", "--grace", "0"}, "true"),
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("toroid: the connection to a ended with exit code 255 before "
                                   "rank 0 and others there\n"));
  EXPECT_THAT(lines_of(directory.content_of("ssh.log")), Not(::testing::Contains("j")));
}

TEST(LaunchCommand, PassesVariablesOn) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory, "env -u HERE sh -c \"$4\" <&0");
  directory.save("hosts", "alpha\n");
  ::setenv("HERE", "it's \"$x\"", 1);
  for (const Arguments& where : {Arguments{"-n", "1"}, {"--hosts", "hosts"}})
    EXPECT_EQ(run_process(launch(where + Arguments{"-x", "HERE", "-x", "TOO=a=b c", "-x", "NONE="},
                                 "echo \"$HERE|$TOO|${NONE-unset}\""),
                          {.directory = directory.path()})
                  .out,
              "it's \"$x\"|a=b c|\n");
  ::unsetenv("HERE");
}

TEST(LaunchCommand, ReportsHowProcessesFailedOnOtherHosts) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "alpha\nbeta\n");
  const Ended ended = run_process(launch({"--hosts", "hosts", "--grace", "0.2"},
                                         "if [ $RANK = 1 ]; then kill -9 $$; fi; exec sleep 600"),
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, MatchesRegex("toroid: rank 1 on beta .pid [0-9]+. was killed by signal 9\n"
                                      "toroid: rank 0 on alpha .pid [0-9]+. was killed by signal "
                                      "15, ended by the launcher because of rank 1\n"));
}

TEST(LaunchCommand, PassesInterruptsOn) {
  for (const bool remote : {false, true}) {
    const TemporaryDirectory directory;
    const ReplacedSsh ssh(directory);
    directory.save("hosts", "alpha\n");
    const Arguments options = remote ? Arguments{"--hosts", "hosts"} : Arguments{"-n", "1"};
    RunningCommand command(launch(options,
                                  "trap 'echo ended; exit 1' INT; touch begun; "
                                  "while :; do sleep 0.1; done"),
                           {.directory = directory.path()});
    wait_for_file(directory / "begun");
    command.signal(SIGINT);
    const Ended ended = command.wait();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "ended\n");
  }
}

TEST(LaunchCommand, LeavesNoOrphans) {
  for (const bool remote : {false, true}) {
    const TemporaryDirectory directory;
    const ReplacedSsh ssh(directory);
    directory.save("hosts", "alpha\n");
    RunningCommand command(launch(remote ? Arguments{"--hosts", "hosts"} : Arguments{"-n", "1"},
                                  "echo $$ > new; mv new pid; while :; do sleep 0.1; done"),
                           {.directory = directory.path()});
    wait_for_file(directory / "pid");
    const pid_t pid = std::stoi(directory.content_of("pid"));
    command.signal(SIGKILL);
    command.wait();
    EXPECT_TRUE(comes_true([&] { return ::kill(pid, 0) != 0; }));
  }
}

TEST(LaunchCommand, EndsAtOnceIfAHostDoesNotAnswer) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory, "echo > asked; exec sleep 1000");
  directory.save("hosts", "alpha\n");
  RunningCommand command(Arguments{"launch", "--hosts", "hosts", "--grace", "1000"} + kHello,
                         {.directory = directory.path()});
  wait_for_file(directory / "asked");
  if (is_thorough()) {
    EXPECT_TRUE(comes_true(
        [&] { return command.said().find("alpha has not answered ") != std::string::npos; }));
  }
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().exit_code, 1);
}

const Arguments kEndlessFft = {TOROID_COMMAND, "fft",     "--torus",  "4x2", "--size", "16",
                               "--repeat",     "1000000", "--fabric", "ofi", "--plan", "estimate"};

/// Counts how often standard error has the text.
long count_in(const RunningCommand& command, const std::string& text) {
  long count = 0;
  for (const std::string& line : lines_of(command.said()))
    count += line.find(text) != std::string::npos;
  return count;
}

/// The launcher has said why.
TEST(LaunchCommand, ProcessesThatTheLauncherEndsSayNothing) {
  RunningCommand command(Arguments{"launch", "-n", "2"} +
                         Arguments(kEndlessFft.begin() + 1, kEndlessFft.end()));
  EXPECT_TRUE(comes_true([&] { return !command.said().empty(); }));  // the estimate
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().exit_code, 1);
  EXPECT_EQ(count_in(command, "interrupted"), 1) << command.said();
  EXPECT_EQ(count_in(command, "toroid: interrupted by signal 15"), 1) << command.said();
}

/// With the first script the launcher is the parent of the processes, with the second it is not.
TEST(LaunchCommand, KilledLauncherIsNamedByItsProcessesWhichEnd) {
  for (const char* script : {R"(exec "$0" "$@")", R"("$0" "$@"; exit $?)"}) {
    RunningCommand command(launch({"-n", "2"}, script) + kEndlessFft);
    EXPECT_TRUE(comes_true([&] { return !command.said().empty(); }));  // the estimate
    command.signal(SIGKILL);
    command.wait();
    EXPECT_TRUE(comes_true([&] { return count_in(command, "the launcher of process ") == 2; }))
        << command.said();
  }
}

TEST(LaunchCommand, NoticesAProcessOfAnotherHostThatEndsBeforeItJoins) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "alpha\nbeta\n");
  const Ended ended = run_process(
      {"launch", "--hosts", "hosts", "--master", "127.0.0.1", "--grace", "0", "--", "sh", "-c",
       "[ $RANK = 1 ] || exec \"$0\" hello --torus 2 --fabric ofi", TOROID_COMMAND},
      {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(
      ended.err,
      ContainsRegex("toroid: rank 1 on beta .* ended with exit code 0 before it joined the "));
}

TEST(LaunchCommand, StartsAToroidVerbWithItsOptions) {
  for (const Arguments& hello : {kHello, Arguments{"toroid"} + kHello}) {
    const Ended ended = run_process(Arguments{"launch", "-n", "2"} + hello);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("4 nodes of torus 2x2x1 in 2 processes"));
  }
}

TEST(LaunchCommand, StartsAVerbOnHosts) {
  const TemporaryDirectory directory;
  const ReplacedSsh ssh(directory);
  directory.save("hosts", "alpha:2\nbeta\n");
  const Ended ended =
      run_process(Arguments{"launch", "--hosts", "hosts", "--master", "127.0.0.1"} + kHello,
                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4 nodes of torus 2x2x1 in 3 processes"));
}

TEST(LaunchCommand, PrefersAVerbExceptAfterTwoHyphens) {
  const TemporaryDirectory directory;
  directory.save("hello", "#!/bin/sh\necho a program: $*\n");
  fs::permissions(directory / "hello", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (directory.path().string() + ":" + path).c_str(), 1);
  EXPECT_THAT(run_process(Arguments{"launch", "-n", "1"} + kHello).out, HasSubstr("4 nodes"));
  EXPECT_EQ(run_process(Arguments{"launch", "-n", "1", "--"} + kHello).out,
            "a program: --torus 2x2x1\n");
  EXPECT_EQ(run_process({"launch", "-n", "1", "echo", "--grace", "[a,b]", "--", "-n"}).out,
            "--grace [a,b] -- -n\n");
  ::setenv("PATH", path.c_str(), 1);
}

TEST(LaunchCommand, PrintsHelpOfAVerbOnce) {
  const Ended ended = run_process({"launch", "-n", "3", "hello", "--help"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, run_process({"help", "hello"}).out);
}

}  // namespace
}  // namespace toroid::testing
