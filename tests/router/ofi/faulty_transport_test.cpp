#include "router/ofi/faulty_transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hal/link_errors.hpp"
#include "hal/packet.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/frames.hpp"

namespace toroid::ofi {
namespace {

using testing::FrameMemory;

constexpr std::size_t kFrames = 400;

/// A transport that completes sends at once and records the frames.
class Recorder final : public Transport {
 public:
  bool try_send(Operation& operation) override {
    const auto bytes = operation.buffer.first(operation.bytes);
    sent.emplace_back(bytes.begin(), bytes.end());
    done.push_back(&operation);
    return true;
  }
  bool try_receive(Operation&) override { return true; }
  std::size_t poll(std::span<Completion> completions) override {
    time += FaultyTransport::kDelay / 2;
    std::size_t count = 0;
    for (; count < completions.size() && !done.empty(); done.pop_back())
      completions[count++] = {done.back(), 0};
    return count;
  }
  std::string text_of(int) const override { return ""; }
  Clock::time_point now() const override { return time; }

  std::vector<std::vector<std::byte>> sent;
  std::vector<Operation*> done;
  Clock::time_point time{std::chrono::hours(1)};
};

/// A frame with one packet of 100 bytes and a number.
std::vector<std::byte> numbered_frame(std::uint64_t number) {
  FrameMemory memory(1024);
  FrameWriter writer(memory.bytes());
  writer.claim().payload.fill(std::byte{7});
  writer.commit(0, 0, PacketHeader(HeaderFields{.hints = {}, .chunks = 4, .payload_bytes = 100}));
  FrameHeader header{};
  header.sequence = number;
  const auto frame = writer.finish(header);
  return {frame.begin(), frame.end()};
}

/// Sends frames under one kind of fault, each after the previous one has completed.
struct Sent {
  Sent(LinkFault fault, double rate, std::uint64_t seed = 1)
      : faulty(recorder, {.rates = {{rate, ""}}, .faults = set_of(fault)}, seed, 0, 2) {
    for (std::uint64_t n = 1; n <= kFrames; ++n) send(n);
  }
  void send(std::uint64_t number) {
    const auto frame = numbered_frame(number);
    std::ranges::copy(frame, memory.bytes().begin());
    Operation operation{};
    operation.buffer = memory.bytes();
    operation.peer = 1;
    operation.bytes = frame.size();
    EXPECT_TRUE(faulty.try_send(operation));
    std::array<Completion, 4> completions;
    std::size_t completed = 0;
    for (int polls = 0; polls < 8 && completed == 0; ++polls) completed = faulty.poll(completions);
    EXPECT_EQ(completed, 1u);
    EXPECT_TRUE(std::ranges::equal(memory.bytes().first(frame.size()), frame))
        << "the buffer has changed";
  }
  std::map<std::uint64_t, unsigned> times_sent() const {
    std::map<std::uint64_t, unsigned> times;
    for (const auto& frame : recorder.sent)
      ++times[FrameMemory(std::span(frame)).header().sequence];
    return times;
  }
  /// Number of recorded frames for which parse() returns this error.
  std::uint64_t with(FrameError error) const {
    std::uint64_t count = 0;
    for (const auto& frame : recorder.sent) {
      FrameMemory memory(std::span{frame});
      FrameView view;
      count += parse(memory.bytes(), view) == error ? 1 : 0;
    }
    return count;
  }

  FrameMemory memory{1024};
  Recorder recorder;
  FaultyTransport faulty;
};

TEST(FaultyTransport, DropsFramesAndReportsThemAsSent) {
  const Sent sent(LinkFault::drop, 0.25);
  EXPECT_EQ(sent.recorder.sent.size(), kFrames - sent.faulty.faults());
  EXPECT_NEAR(static_cast<double>(sent.faulty.faults()), kFrames * 0.25, 50);
}

TEST(FaultyTransport, SendsDuplicatesOneAfterTheOther) {
  const Sent sent(LinkFault::duplicate, 0.25);
  std::uint64_t twice = 0;
  for (const auto& [number, times] : sent.times_sent()) twice += times == 2 ? 1 : 0;
  EXPECT_EQ(twice, sent.faulty.faults());
  EXPECT_EQ(sent.recorder.sent.size(), kFrames + twice);
}

TEST(FaultyTransport, DamagesFramesSoThatTheyAreRefused) {
  const Sent sent(LinkFault::corrupt, 0.25);
  EXPECT_EQ(sent.recorder.sent.size(), kFrames);
  EXPECT_EQ(sent.with(FrameError::none), kFrames - sent.faulty.faults());
}

TEST(FaultyTransport, DamagesPayloadSilently) {
  const Sent sent(LinkFault::silent, 0.25);
  EXPECT_EQ(sent.with(FrameError::none), kFrames);
  std::uint64_t damaged = 0;
  for (std::uint64_t n = 1; n <= kFrames; ++n)
    damaged += sent.recorder.sent[n - 1] != numbered_frame(n) ? 1 : 0;
  EXPECT_EQ(damaged, sent.faulty.faults());
}

TEST(FaultyTransport, DelaysFramesWithoutLosingAny) {
  const Sent sent(LinkFault::delay, 0.25);
  EXPECT_EQ(sent.recorder.sent.size(), kFrames);
  EXPECT_GT(sent.faulty.faults(), 0u);
}

TEST(FaultyTransport, LetsNextFrameOvertake) {
  Recorder recorder;
  FaultyTransport faulty(recorder, {.rates = {{0.5, ""}}, .faults = set_of(LinkFault::reorder)}, 3,
                         0, 2);
  std::vector<FrameMemory> memories;
  std::vector<Operation> operations(100);
  for (std::uint64_t n = 0; n < operations.size(); ++n) {
    memories.emplace_back(std::span<const std::byte>(numbered_frame(n)));
    operations[n].buffer = memories.back().bytes();
    operations[n].bytes = memories.back().bytes().size();
    operations[n].peer = 1;
    ASSERT_TRUE(faulty.try_send(operations[n]));
  }
  std::array<Completion, 4> completions;
  for (int i = 0; i < 300; ++i) (void)faulty.poll(completions);
  ASSERT_EQ(recorder.sent.size(), operations.size());
  std::uint64_t overtaken = 0;
  for (std::size_t i = 1; i < operations.size(); ++i)
    overtaken += recorder.sent[i] < recorder.sent[i - 1] ? 1 : 0;
  EXPECT_GT(overtaken, 10u);
}

TEST(FaultyTransport, IsReproducibleFromSeed) {
  const Sent sent(LinkFault::corrupt, 0.1, 5);
  EXPECT_EQ(sent.recorder.sent, Sent(LinkFault::corrupt, 0.1, 5).recorder.sent);
  EXPECT_NE(sent.recorder.sent, Sent(LinkFault::corrupt, 0.1, 6).recorder.sent);
}

}  // namespace
}  // namespace toroid::ofi
