// Tests of the tests' own hosts: what a program on a host sees and reaches.
#include "tests/net/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <system_error>

#include "tests/comes_true.hpp"
#include "tests/net/file_descriptor.hpp"
#include "tests/net/process.hpp"
#include "tests/net/tcp.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class HostsTest : public ::testing::TestWithParam<Wiring> {
 protected:
  void SetUp() override {
    if (const std::string why = obstacle_to(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};
INSTANTIATE_TEST_SUITE_P(Wired, HostsTest,
                         ::testing::Values(Wiring::bridge, Wiring::our_switch,
                                           Wiring::our_fast_switch),
                         [](const auto& wired) {
                           if (wired.param == Wiring::bridge) return "ByBridge";
                           return wired.param == Wiring::our_switch ? "ByOurSwitch"
                                                                    : "ByOurFastSwitch";
                         });

Ended shell(const Host& host, const std::string& script, const Environment& more = {}) {
  return host.start({"sh", "-c", script}, more).wait(10s).value_or(Ended{});
}

TEST_P(HostsTest, DifferInNameBootIdAndSharedMemory) {
  const Hosts hosts(2, GetParam());
  const std::string script =
      "uname -n; cat /proc/sys/kernel/random/boot_id; touch /dev/shm/$NAME; ls /dev/shm";
  const Ended alpha = shell(hosts[0], script, {{"NAME", "a"}});
  const Ended beta = shell(hosts[1], script, {{"NAME", "b"}});
  EXPECT_EQ(alpha.out, "alpha\n77000000-0000-4000-8000-000000000000\na\n") << alpha.err;
  EXPECT_EQ(beta.out, "beta\n77000000-0000-4000-8000-000000000001\nb\n") << beta.err;
}

TEST_P(HostsTest, LeaveTheTestsOwnNameAndNetworkAlone) {
  const std::string script = "uname -n; ip -brief address; ls /dev/shm; cat /etc/hosts";
  const Ended before = Process({"sh", "-c", script}).wait(10s).value();
  const Hosts hosts(2, GetParam());
  EXPECT_EQ(Process({"sh", "-c", script}).wait(10s).value().out, before.out);
}

TEST_P(HostsTest, KnowEachOtherByName) {
  const Hosts hosts(2, GetParam());
  EXPECT_THAT(shell(hosts[0], "getent hosts beta").out, HasSubstr("10.77.0.2"));
}

TEST_P(HostsTest, ReachEachOtherAndNothingElse) {
  const Hosts hosts(4, GetParam());
  for (unsigned from = 0; from < 4; ++from)
    for (unsigned to = 0; to < 4; ++to) {
      const Listener listener(hosts[to]);
      EXPECT_NO_THROW(connect_from(hosts[from], listener.endpoint())) << from << ' ' << to;
    }
  EXPECT_THROW(connect_from(hosts[0], {"192.0.2.1", 80}), std::system_error);
}

TEST_P(HostsTest, FallSilentWhenTheirLinkIsTakenDown) {
  const Hosts hosts(2, GetParam());
  hosts[1].take_link_down();
  EXPECT_THROW(connect_from(hosts[1], {hosts[0].address(), 9}), std::system_error);
}

TEST_P(HostsTest, CountWhatTheySend) {
  const Hosts hosts(2, GetParam());
  const Listener listener(hosts[1]);
  const FileDescriptor connection = connect_from(hosts[0], listener.endpoint());
  const std::uint64_t before = hosts[0].bytes_sent();
  send_all(connection, std::string(10000, 'x'), 2s);
  EXPECT_EQ(receive(listener.accept(), 10000, 2s).size(), 10000U);
  EXPECT_GE(hosts[0].bytes_sent(), before + 10000);
  EXPECT_LE(hosts[0].bytes_sent(), before + 12000);
}

TEST_P(HostsTest, ListTheirListeners) {
  const Hosts hosts(2, GetParam());
  const Listener one(hosts[0]);
  const Listener other(hosts[0]);
  EXPECT_THAT(listening(hosts[0]),
              ::testing::UnorderedElementsAre(one.endpoint(), other.endpoint()));
  EXPECT_TRUE(listening(hosts[1]).empty());
}

TEST_P(HostsTest, ReachEachOtherThroughARelayThatRecords) {
  const Hosts hosts(2, GetParam());
  const Listener server(hosts[0]);
  const Relay relay(hosts[0], server.endpoint());
  const FileDescriptor client = connect_from(hosts[1], relay.endpoint());
  const FileDescriptor served = server.accept();
  send_all(client, "question", 2s);
  EXPECT_EQ(receive(served, 8, 2s), "question");
  send_all(served, "answer", 2s);
  EXPECT_EQ(receive(client, 6, 2s), "answer");
  EXPECT_EQ(relay.recorded(), std::vector<std::string>{"question"});
}

TEST_P(HostsTest, SeeARelayCloseTheConnectionWhenItsTargetDoes) {
  const Hosts hosts(2, GetParam());
  const Listener server(hosts[0]);
  const Relay relay(hosts[0], server.endpoint());
  const FileDescriptor client = connect_from(hosts[1], relay.endpoint());
  server.accept();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(receive(client, 1, 5s), "");
  EXPECT_LE(std::chrono::steady_clock::now(), begin + 4s);
}

TEST(Process, CollectsOutputAndExitCode) {
  const Ended ended =
      Process({"sh", "-c", "echo $WORD; echo no >&2; exit 3"}, {{"WORD", "yes"}}).wait(10s).value();
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.out, "yes\n");
  EXPECT_EQ(ended.err, "no\n");
}

TEST(Process, IsWaitedForUpToTheLimit) {
  const Process process({"sleep", "60"});
  EXPECT_FALSE(process.wait(50ms));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait(10s).value().signal, SIGKILL);
}

TEST(Process, KillsItsChildrenWhenDestroyed) {
  std::string child;
  {
    const Process process({"sh", "-c", "sleep 60 & echo $!; wait"});
    while (child.empty()) child = process.out();
  }
  const pid_t pid = std::stoi(child);
  EXPECT_TRUE(comes_true([=] { return !alive(pid); }, 5s)) << pid;
}

TEST(Process, ReportsThatItCannotBeStarted) {
  const Ended ended = Process({"no-such-program"}).wait(10s).value();
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_THAT(ended.err, HasSubstr("no-such-program"));
}

}  // namespace
}  // namespace toroid::testing
