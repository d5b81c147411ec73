// With --continue-without a run continues without a killed process and reports exactly the missing
// messages.
#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <termios.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <ios>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "hal/packet.hpp"
#include "tests/comes_true.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr unsigned kProcesses = 4;
constexpr unsigned kNodes = 16;
constexpr unsigned kNodesEach = kNodes / kProcesses;
constexpr std::uint64_t kBytes = 100'000;
const Arguments kExchange = {
    "alltoall", "--torus", "4x4",      "--bytes",    std::to_string(kBytes),
    "--fabric", "ofi",     "--policy", "throttled:5"};

/// A terminal, on which a run shows its progress.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    ::grantpt(master_);
    ::unlockpt(master_);
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios raw{};
    ::tcgetattr(slave_, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(slave_, TCSANOW, &raw);
  }
  ~Terminal() {
    ::close(slave_);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int slave() const { return slave_; }
  /// All output so far.
  const std::string& text() {
    char some[4096];
    for (ssize_t count; (count = ::read(master_, some, sizeof some)) > 0;)
      text_.append(some, static_cast<std::size_t>(count));
    return text_;
  }
  /// Waits until the terminal shows 1 % to 49 % of the packets as delivered. Returns false if it
  /// never does.
  bool shows_part() {
    const std::regex part("packets delivered \\(([1-9]|[1-4][0-9]) %\\)");
    return comes_true([&] { return std::regex_search(text(), part); });
  }

 private:
  int master_;
  int slave_ = -1;
  std::string text_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The child of `launcher` that has this rank.
std::optional<pid_t> process_of(pid_t launcher, unsigned rank) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", launcher));
  for (pid_t child; children >> child;)
    if (content_of(fmt::format("/proc/{}/environ", child))
            .find(fmt::format("RANK={}", rank) + '\0') != std::string::npos)
      return child;
  return std::nullopt;
}

/// The result of a run in which one process gets a signal half-way. `shown` is the text on the
/// terminal.
struct Hit {
  Ended ended;
  std::string shown;
};
Hit hit(const Arguments& arguments, unsigned victim, int signal) {
  Terminal terminal;
  RunningCommand run(
      Arguments{"launch", "-n", std::to_string(kProcesses)} + arguments + Arguments{"--json", "-"},
      {.err = terminal.slave()});
  EXPECT_TRUE(terminal.shows_part()) << terminal.text();
  const std::optional<pid_t> process = process_of(run.pid(), victim);
  EXPECT_TRUE(process);
  if (process) ::kill(*process, signal);
  std::future<Ended> ended = std::async(std::launch::async, [&run] { return run.wait(); });
  while (ended.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
    terminal.text();  // unread output would block the run
  return {ended.get(), terminal.text()};
}

std::uint64_t sum_of(const Json& list, const char* key) {
  std::uint64_t sum = 0;
  for (const Json& item : list) sum += item[key].get<std::uint64_t>();
  return sum;
}

/// Delivered packets (counted per node) and missing packets (counted per message) add up to all
/// packets of the exchange.
TEST(OfiLoss, OnlyMessagesOfTheKilledProcessAreMissing) {
  const unsigned victim = 2;
  const Hit run = hit(kExchange + Arguments{"--continue-without"}, victim, SIGKILL);
  ASSERT_EQ(run.ended.exit_code, 1) << run.shown;
  EXPECT_THAT(run.shown, HasSubstr(fmt::format("toroid: process {} (host ", victim)));
  EXPECT_THAT(run.shown, HasSubstr("the others continued without it"));
  const Json result = run.ended.json();
  const Json& missing = result["missing"];
  ASSERT_EQ(missing["processes"].size(), 1u);
  EXPECT_EQ(missing["processes"][0]["rank"], victim);
  EXPECT_EQ(missing["nodes"].size(), kNodesEach);

  const std::uint64_t all = kNodes * (kNodes - 1) * packets_for(kBytes);
  const std::uint64_t missing_packets = missing["packets"].get<std::uint64_t>();
  EXPECT_EQ(missing_packets + missing["arrived"].get<std::uint64_t>(), all);

  const std::uint64_t to_lost = kNodesEach * (kNodes - 1);
  const std::uint64_t from_lost = kNodesEach * (kNodes - kNodesEach);
  EXPECT_GE(missing_packets, to_lost * packets_for(kBytes));
  EXPECT_LE(missing_packets, (to_lost + from_lost) * packets_for(kBytes));
  EXPECT_EQ(sum_of(missing["pairs"], "packets"), missing_packets);
  EXPECT_EQ(sum_of(missing["pairs"], "bytes"), missing["bytes"].get<std::uint64_t>());
  EXPECT_EQ(sum_of(missing["between"], "packets"), missing_packets);
  for (const Json& way : missing["between"])
    EXPECT_TRUE(way["from_process"] == victim || way["to_process"] == victim) << way;
}

TEST(OfiLoss, KilledProcessEndsARunWithoutTheOption) {
  const Hit run = hit(kExchange, 2, SIGKILL);
  EXPECT_EQ(run.ended.exit_code, 1);
  EXPECT_EQ(run.ended.out, "");
  EXPECT_THAT(run.shown, HasSubstr("toroid: process 2 (host "));
}

TEST(OfiLoss, KilledProcess0EndsTheRunDespiteTheOption) {
  const Hit run = hit(kExchange + Arguments{"--continue-without"}, 0, SIGKILL);
  EXPECT_EQ(run.ended.exit_code, 1);
  EXPECT_EQ(run.ended.out, "");
  EXPECT_THAT(run.shown, HasSubstr("toroid: process 0 (host "));
}

TEST(OfiLoss, ReportsNothingMissingIfNoProcessIsLost) {
  const Ended ended = run_process({"launch", "-n", "2", "alltoall", "--torus", "4x2", "--fabric",
                                   "ofi", "--continue-without", "--json", "-"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_FALSE(ended.json().contains("missing"));
}

TEST(OfiLoss, RefusesTheOptionIfOthersWouldBeBlocked) {
  const TemporaryDirectory directory;
  const Arguments go_on = {"alltoall", "--torus", "2x2", "--continue-without"};
  const auto refuse = [&](const Arguments& arguments, const std::vector<std::string>& words) {
    expect_refusal(directory, go_on + arguments, words, run_process);
  };
  const Arguments ofi = {"--fabric", "ofi"};
  ::setenv("RANK", "0", 1);
  ::setenv("WORLD_SIZE", "1", 1);
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ::setenv("MASTER_PORT", "29500", 1);
  ::setenv("TOROID_JOB_KEY", "a-key-for-tests-only", 1);
  const std::string has_none = "--continue-without has no effect on alltoall ";
  refuse({}, {has_none + "with --fabric sim", "it works with --fabric ofi"});
  refuse({"--fabric", "shm"}, {has_none + "with --fabric shm"});
  refuse(ofi + Arguments{"--transfer", "put"},
         {has_none + "with --transfer put (it works with --transfer packets)"});
  refuse(ofi + Arguments{"--route", "torus"},
         {has_none + "with --route torus (it works with --route direct)"});
  refuse(ofi + Arguments{"--route", "direct", "--link-error", "0.1"},
         {has_none + "with --link-error 0.1 (it works without --link-error)"});
  refuse(ofi + Arguments{"--provider", "shm"}, {"provider shm", "can block the others"});
  refuse(ofi + Arguments{"--policy", "windowed:4"}, {"wait for acknowledgements"});
  refuse(ofi + Arguments{"--policy", "two-phase", "--route", "direct"}, {"by way of other nodes"});
  expect_refusal(directory,
                 {"fft", "--size", "8", "--torus", "2x2", "--fabric", "ofi", "--continue-without"},
                 {"--continue-without"}, run_process);
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TOROID_JOB_KEY"})
    ::unsetenv(name);
}

}  // namespace
}  // namespace toroid::testing
