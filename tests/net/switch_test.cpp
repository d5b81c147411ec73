// Tests of the tests' own switch: that it delays, slows down, loses and cuts frames as set.
#include "tests/net/switch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <system_error>

#include "tests/net/host.hpp"
#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/net/tcp.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
constexpr Milliseconds kBriefly = 300ms;
using Clock = std::chrono::steady_clock;

class SwitchTest : public ::testing::Test {
 protected:
  void SetUp() override { wire(Wiring::our_switch); }

  void wire(Wiring wiring) {
    if (const std::string why = obstacle_to(wiring); !why.empty()) GTEST_SKIP() << why;
    hosts_ = std::make_unique<Hosts>(3, wiring);
  }

  Switch& the_switch() { return hosts_->our_switch(); }
  const Host& host(unsigned index) { return (*hosts_)[index]; }

  bool connects(unsigned from, unsigned to, Milliseconds limit = 5s) {
    const Listener listener(host(to));
    try {
      connect_from(host(from), listener.endpoint(), limit);
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  /// The shortest of several round trips: the first includes address resolution, and others may
  /// have to wait for a processor.
  Clock::duration round_trip(unsigned from, unsigned to) {
    const Listener listener(host(to));
    Clock::duration least = 1h;
    for (int again = 0; again < 6; ++again) {
      const auto begin = Clock::now();
      connect_from(host(from), listener.endpoint());
      least = std::min<Clock::duration>(least, Clock::now() - begin);
    }
    return least;
  }

  /// The bytes that host 1 receives when host 0 sends `bytes`.
  std::string after_the_way(const std::string& bytes) { return after_the_way(0, 1, bytes); }
  std::string after_the_way(unsigned sender_host, unsigned receiver_host,
                            const std::string& bytes) {
    const Listener listener(host(receiver_host));
    const FileDescriptor to = connect_from(host(sender_host), listener.endpoint());
    const FileDescriptor from = listener.accept();
    std::thread sender([&] { send_all(to, bytes, 10s); });
    const std::string received = receive(from, bytes.size(), 10s);
    sender.join();
    return received;
  }

  std::unique_ptr<Hosts> hosts_;
};

std::string different_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::mt19937_64 random(1);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_F(SwitchTest, ForwardsFramesUnchanged) {
  const std::string bytes = different_bytes(2'000'000);
  EXPECT_TRUE(after_the_way(bytes) == bytes);
  EXPECT_GT(the_switch().counts().delivered, 200U);
  EXPECT_EQ(the_switch().counts().lost, 0U);
  EXPECT_EQ(the_switch().counts().cut, 0U);
}

TEST_F(SwitchTest, SendsOnlyToTheReceiversPort) {
  after_the_way("now it has seen both");
  const std::uint64_t before = host(2).bytes_received();
  after_the_way(different_bytes(100'000));
  EXPECT_LT(host(2).bytes_received(), before + 10'000);
}

TEST_F(SwitchTest, DelaysByTheSumOfTheTwoLinksInEachDirection) {
  EXPECT_LT(round_trip(0, 1), 30ms);
  the_switch().set_link(0, {.delay = 10ms});
  the_switch().set_link(1, {.delay = 15ms});
  EXPECT_GE(round_trip(0, 1), 50ms);
  EXPECT_LT(round_trip(0, 1), 90ms);
  EXPECT_LT(round_trip(0, 2), 50ms);
}

TEST_F(SwitchTest, LosesFramesThatTcpResends) {
  the_switch().set_all_links({.loss = 0.05});
  const std::string bytes = different_bytes(1'000'000);
  EXPECT_TRUE(after_the_way(bytes) == bytes);
  const SwitchCounts counts = the_switch().counts();
  EXPECT_GT(counts.lost, counts.delivered / 100);
  EXPECT_LT(counts.lost, counts.delivered / 2);
}

TEST_F(SwitchTest, CutsOneLink) {
  EXPECT_TRUE(connects(0, 1));
  the_switch().set_link(1, {.cut = true});
  EXPECT_FALSE(connects(0, 1, kBriefly));
  EXPECT_FALSE(connects(1, 2, kBriefly));
  EXPECT_TRUE(connects(0, 2));
  EXPECT_GT(the_switch().counts().cut, 0U);
  the_switch().set_link(1, {});
  EXPECT_TRUE(connects(0, 1));
}

TEST_F(SwitchTest, CutsOnlyOnePath) {
  the_switch().cut_path(2, 1);
  EXPECT_FALSE(connects(1, 2, kBriefly));
  EXPECT_FALSE(connects(2, 1, kBriefly));
  EXPECT_TRUE(connects(0, 1));
  EXPECT_TRUE(connects(2, 0));
  the_switch().mend_path(1, 2);
  EXPECT_TRUE(connects(1, 2));
}

TEST_F(SwitchTest, CutPathStopsAnOpenConnectionUntilItIsMended) {
  const Listener listener(host(1));
  const FileDescriptor to = connect_from(host(0), listener.endpoint());
  const FileDescriptor from = listener.accept();
  the_switch().cut_path(0, 1);
  send_all(to, "lost", 1s);
  EXPECT_EQ(receive(from, 4, 500ms), "");
  the_switch().mend_path(0, 1);
  EXPECT_EQ(receive(from, 4, 5s), "lost");
}

/// Runs with single frames as on the wire, and with large frames that stand for many.
class SlowSwitchTest : public SwitchTest, public ::testing::WithParamInterface<Wiring> {
 protected:
  void SetUp() override { wire(GetParam()); }

  static constexpr double kBandwidth = 20e6;
  /// The minimum time for this many bytes, without headers.
  static std::chrono::duration<double> least(std::size_t bytes) {
    return std::chrono::duration<double>(8 * static_cast<double>(bytes) / kBandwidth);
  }
};
INSTANTIATE_TEST_SUITE_P(Frames, SlowSwitchTest,
                         ::testing::Values(Wiring::our_switch, Wiring::our_fast_switch),
                         [](const auto& wired) {
                           return wired.param == Wiring::our_switch ? "AsOnTheWire" : "OfMany";
                         });

TEST_P(SlowSwitchTest, TakesAtLeastTheTimeGivenByItsBandwidth) {
  the_switch().set_all_links({.bandwidth = kBandwidth});
  const std::string bytes = different_bytes(1'000'000);
  const auto begin = Clock::now();
  EXPECT_TRUE(after_the_way(bytes) == bytes);
  EXPECT_GE(Clock::now() - begin, least(bytes.size()));
  EXPECT_EQ(the_switch().counts().lost, 0U);
}

TEST_P(SlowSwitchTest, HasTheBandwidthOfTheSlowerOfTwoLinks) {
  the_switch().set_link(1, {.bandwidth = kBandwidth});
  const std::string bytes = different_bytes(500'000);
  const auto begin = Clock::now();
  EXPECT_TRUE(after_the_way(0, 1, bytes) == bytes);
  EXPECT_TRUE(after_the_way(1, 2, bytes) == bytes);
  EXPECT_GE(Clock::now() - begin, 2 * least(bytes.size()));
}

TEST_P(SlowSwitchTest, SharesALinkAmongSendersToItsHost) {
  the_switch().set_link(2, {.bandwidth = kBandwidth});
  const std::string bytes = different_bytes(500'000);
  const auto begin = Clock::now();
  std::thread other([&] { EXPECT_TRUE(after_the_way(1, 2, bytes) == bytes); });
  EXPECT_TRUE(after_the_way(0, 2, bytes) == bytes);
  other.join();
  EXPECT_GE(Clock::now() - begin, 2 * least(bytes.size()));
}

TEST_P(SlowSwitchTest, QueueInOneDirectionDoesNotDelayTheOther) {
  const Listener listener(host(1));
  const FileDescriptor to = connect_from(host(0), listener.endpoint());
  const FileDescriptor from = listener.accept();
  the_switch().set_all_links({.bandwidth = kBandwidth});
  const std::string bytes = different_bytes(4'000'000);  // more than a second
  std::thread sender([&] { send_all(to, bytes, 20s); });
  EXPECT_EQ(receive(from, 10'000, 10s).size(), 10'000U);
  send_all(from, "against the stream", 10s);
  EXPECT_EQ(receive(to, 18, 10s), "against the stream");
  EXPECT_LT(host(1).bytes_received(), bytes.size());
  EXPECT_TRUE(receive(from, bytes.size() - 10'000, 20s) == bytes.substr(10'000));
  sender.join();
}

}  // namespace
}  // namespace toroid::testing
