// The line of progress: for a person at a terminal, and for nobody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>

#include <thread>

#include "tests/tools/run_command.hpp"

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

/// A pseudo-terminal that passes bytes on as they are.
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
  /// As when the window is closed.
  void hang_up() {
    if (user_ >= 0) ::close(user_);
    user_ = -1;
  }

  /// What appears on the screen while the command runs.
  std::string screen_of(const Arguments& arguments, Ended& ended, bool with_output = false) {
    RunningCommand command(arguments, {.out = with_output ? program_ : -1, .err = program_});
    ::close(program_);  // so that the last reader's end is seen
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

TEST(Progress, TellsTheShareThatIsDone) {
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

TEST(Progress, IsNotShownWhereThereIsNoTerminal) {
  for (const Arguments& run : {kShownAllToAll, kShownFft}) EXPECT_EQ(run_command(run).err, "");
}

TEST(Progress, DoesNotStopARunWhoseTerminalHasGone) {
  Terminal terminal;
  terminal.hang_up();
  EXPECT_EQ(run_command(kShownAllToAll, {.err = terminal.program()}).exit_code, 0);
}

}  // namespace
}  // namespace toroid::testing
