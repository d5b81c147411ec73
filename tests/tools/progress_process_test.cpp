// The progress line is shown on a terminal only.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kClearLine = "\r\x1b[K";
const Arguments kShownAllToAll = {"alltoall", "--torus", "8x8x8", "--bytes", "480"};
const Arguments kShownFft = {"fft", "--torus", "4x4x4", "--size", "48"};
const Arguments kLongFft = {"fft", "--torus", "8x8x8", "--size", "128"};

/// A pseudo-terminal that passes bytes on unchanged.
class Terminal {
 public:
  Terminal() : user_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    ::grantpt(user_);
    ::unlockpt(user_);
    program_ = ::open(::ptsname(user_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios modes;
    ::tcgetattr(program_, &modes);
    ::cfmakeraw(&modes);
    ::tcsetattr(program_, TCSANOW, &modes);
  }
  ~Terminal() {
    hang_up();
    ::close(program_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int program() const { return program_; }
  void set_width(unsigned short columns) {
    winsize size{24, columns, 0, 0};
    ::ioctl(program_, TIOCSWINSZ, &size);
  }
  /// Closes the user's side, as closing the window does.
  void hang_up() {
    if (user_ >= 0) ::close(user_);
    user_ = -1;
  }

  /// Runs the command and returns all bytes that it writes to the terminal.
  std::string screen_of(const Arguments& arguments, Ended& ended, bool with_output = false,
                        const std::filesystem::path& directory = ".") {
    RunningCommand command(
        arguments, {.directory = directory, .out = with_output ? program_ : -1, .err = program_});
    ::close(program_);  // otherwise the read below would not end
    program_ = -1;
    std::string screen;
    char block[4096];
    for (ssize_t n = 0; (n = ::read(user_, block, sizeof block)) > 0;)
      screen.append(block, static_cast<std::size_t>(n));
    ended = command.wait();
    return screen;
  }

 private:
  int user_;
  int program_ = -1;
};

TEST(Progress, IsOneLineThatIsClearedAtTheEnd) {
  for (const Arguments& run : {kShownAllToAll, kShownFft}) {
    Ended ended;
    const std::string screen = Terminal().screen_of(run, ended);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(screen, StartsWith(kClearLine + "cycle "));
    EXPECT_THAT(screen, HasSubstr("packets delivered"));
    EXPECT_THAT(screen, EndsWith(kClearLine));
    EXPECT_THAT(screen, Not(HasSubstr("\n")));
    EXPECT_THAT(ended.out, HasSubstr("of peak"));
  }
}

TEST(Progress, FitsATerminal) {
  Ended ended;
  const std::string screen = Terminal().screen_of(kShownAllToAll, ended);
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t next = screen.find(kClearLine, at + 1);
    EXPECT_LT(screen.substr(at, next - at).size(), 80U);
    at = next;
  }
}

TEST(Progress, ShowsThePercentageDone) {
  for (const Arguments& run : {kShownAllToAll, kLongFft}) {
    Ended ended;
    const std::string screen = Terminal().screen_of(run, ended);
    const std::size_t last = screen.rfind('(');
    ASSERT_NE(last, std::string::npos);
    const int share = std::stoi(screen.substr(last + 1));
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 100);
  }
}

TEST(Progress, CountsPacketsOnShm) {
  const Arguments again = {"fft", "--torus", "2x2x2",    "--size",    "32", "--repeat",
                           "200", "--plan",  "estimate", "--threads", "2"};
  for (const char* route : {"torus", "direct"}) {
    Ended ended;
    const std::string screen =
        Terminal().screen_of(again + kShm + Arguments{"--route", route}, ended);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::size_t share = screen.rfind(" packets delivered (");
    ASSERT_NE(share, std::string::npos) << screen;
    EXPECT_LE(std::stoi(screen.substr(screen.find('(', share) + 1)), 100);
    EXPECT_GT(std::stoi(screen.substr(screen.find('(', share) + 1)), 0);
    EXPECT_THAT(screen, EndsWith(kClearLine));
  }
}

TEST(Progress, CountsTheRunsOfACampaignAndOfThePaper) {
  for (const Arguments& runs : {Arguments{"compare", "--policies", "random,rank", "--torus", "4x4"},
                                Arguments{"paper", "--rows", "orbital"}}) {
    Ended ended;
    const std::string screen = Terminal().screen_of(runs, ended);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(screen, StartsWith(kClearLine + "[--------------------] 0 of "));
    EXPECT_THAT(screen, EndsWith(kClearLine));
  }
}

TEST(Progress, IsClearedBeforeTheTable) {
  Ended ended;
  const std::string screen = Terminal().screen_of(kShownAllToAll, ended, true);
  EXPECT_THAT(screen, HasSubstr(kClearLine + "all-to-all, 480 bytes"));
}

TEST(Progress, IsClearedBeforeAnError) {
  Ended ended;
  const Arguments stuck = {"alltoall", "--torus", "8x8x8",     "--no-bubble",
                           "--bytes",  "2400",    "--routing", "deterministic"};
  EXPECT_THAT(Terminal().screen_of(stuck, ended), HasSubstr(kClearLine + "toroid: "));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(Progress, IsSilencedByQuiet) {
  Ended ended;
  EXPECT_EQ(Terminal().screen_of(kShownAllToAll + Arguments{"--quiet"}, ended), "");
}

TEST(Progress, IsNotShownWithoutATerminal) {
  for (const Arguments& run : {kShownAllToAll, kShownFft}) EXPECT_EQ(run_command(run).err, "");
}

/// Checks every line that a command prints, except progress lines, which clear themselves.
TEST(Tables, FitTheTerminal) {
  const Arguments cases = {"--policies", "random,rank,farthest-first,random-rounds",
                           "--torus",    "4x4,2x2x2",
                           "--traffic",  "all-to-all,neighbour",
                           "--bytes",    "32,240"};
  const std::vector<Arguments> commands = {
      Arguments{"compare"} + cases,
      Arguments{"compare", "--policies", "random", "--torus", "2x2"} + kShm,
      Arguments{"sweep", "--axis", "bytes"} + cases,
      Arguments{"sweep", "--axis", "nodes"} + cases,
      {"sweep", "--axis", "load", "--torus", "4x2,2x2", "--load", "0.1,1.2", "--refine", "1"},
      {"compare", "--policies", "random", "--torus", "4", "--machine", "long-name.toml"},
      {"paper", "--rows", "model,orbital"},
      {"info"},
      {"info", "--policies"},
      {"info", "--torus", "4x4x4"}};
  const TemporaryDirectory directory;
  directory.save("long-name.toml", "name = \"" + std::string(70, 'm') + "\"\n");
  for (const unsigned short width : std::initializer_list<unsigned short>{80, 132})
    for (const Arguments& command : commands) {
      Ended ended;
      Terminal terminal;
      terminal.set_width(width);
      std::istringstream screen(terminal.screen_of(command, ended, true, directory.path()));
      EXPECT_EQ(ended.exit_code, 0);
      std::size_t lines = 0;
      for (std::string line; std::getline(screen, line); ++lines) {
        const std::size_t clear = line.rfind(kClearLine);
        if (clear != std::string::npos) line.erase(0, clear + kClearLine.size());
        EXPECT_LE(line.size(), width) << command.front() << ": " << line;
      }
      EXPECT_GT(lines, 2u) << command.front();
    }
}

TEST(Tables, AreAtMost100ColumnsWideWithoutATerminal) {
  std::istringstream out(run_command({"compare", "--torus", "2x2,4", "--traffic",
                                      "all-to-all,neighbour", "--bytes", "32,240"})
                             .out);
  for (std::string line; std::getline(out, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(RunEstimate, IsPrintedBeforeALongRunUnlessQuiet) {
  const Arguments exchange = {"alltoall", "--torus", "16x16x16", "--bytes", "24000"};
  const Arguments bench = {"bench", "latency", "--fabric", "sim", "-i", "100000000", "-m", "8"};
  const Arguments quietly = {"--quiet"};
  for (const Arguments& slow : {exchange, bench, exchange + quietly}) {
    const bool quiet = slow.back() == "--quiet";
    RunningCommand running(slow);
    comes_true([&] { return !running.said().empty(); }, std::chrono::seconds(quiet ? 3 : 60));
    running.signal(SIGINT);
    EXPECT_THAT(running.wait().err,
                ::testing::MatchesRegex(
                    std::string(quiet ? ""
                                      : "toroid: expects to take about [0-9]+ [a-z0-9 ]* and "
                                        "[0-9]+ MB of memory\n") +
                    "toroid: interrupted\n"));
  }
}

TEST(Progress, DoesNotStopARunIfItsTerminalIsClosed) {
  Terminal terminal;
  terminal.hang_up();
  EXPECT_EQ(run_process(kShownAllToAll, {.err = terminal.program()}).exit_code, 0);
}

}  // namespace
}  // namespace toroid::testing
