// Packets through a gateway arrive once and in order, whatever the network and strangers do.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/frames.hpp"
#include "tests/router/ofi/number_gateway.hpp"
#include "tests/scale.hpp"

namespace toroid::ofi {
namespace {

using testing::FrameBytes;
using testing::FrameMemory;
using testing::header_of;
using testing::NetworkOptions;
using testing::NumberGateway;
using testing::NumberRun;
using testing::token_of;

constexpr std::uint32_t kCount = 300;
constexpr RefusedFrames kNone{};

RefusedFrames refusals(FrameError error, std::uint64_t count) {
  RefusedFrames refused{};
  refused[static_cast<std::size_t>(error)] = count;
  return refused;
}

void expect_exchange(NumberRun& run, std::uint32_t count, const auto& refused) {
  ASSERT_NO_FATAL_FAILURE(run.exchange(count));
  ASSERT_NO_FATAL_FAILURE(run.settle());
  ASSERT_NO_FATAL_FAILURE(run.expect_numbers_in_order(count));
  EXPECT_EQ(run.refused(), refused());
}

TEST(Gateway, DeliversOnceAndInOrderOverAnyReliableNetwork) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(8u, 25u); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    NumberRun run(2 + random.below(4),
                  {.seed = seed, .busy = random.below(60), .late = random.below(60)});
    expect_exchange(run, kCount, [] { return kNone; });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Gateway, DeliversEverythingWithSmallestWindowsAndBuffers) {
  for (const unsigned window : {1u, 2u, 3u})
    for (const unsigned buffers : {1u, 2u}) {
      NumberRun run(3, {.seed = window + buffers},
                    {.frame_bytes = 512, .window = window, .send_buffers = buffers});
      expect_exchange(run, kCount, [] { return kNone; });
    }
}

TEST(Gateway, NeverWritesIntoBufferInUse) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(8u, 25u); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const FlowLimits limits{
        .frame_bytes = 512, .window = 1 + random.below(5), .send_buffers = 1 + random.below(4)};
    NumberRun run(
        2 + random.below(4),
        {.seed = seed, .busy = random.below(60), .late = random.below(60), .window = limits.window},
        limits);
    expect_exchange(run, kCount, [] { return kNone; });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Gateway, RefusesStrayWriteCompletions) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(8u, 10u); ++seed) {
    SCOPED_TRACE(seed);
    NumberRun run(3, {.seed = seed, .stray = 10, .window = testing::kSmallFrames.window});
    ASSERT_NO_FATAL_FAILURE(run.exchange(kCount));
    ASSERT_NO_FATAL_FAILURE(run.settle());
    ASSERT_NO_FATAL_FAILURE(run.expect_numbers_in_order(kCount));
    const RefusedFrames refused = run.refused();
    EXPECT_EQ(std::accumulate(refused.begin(), refused.end(), std::uint64_t{0}),
              run.network().strays());
    EXPECT_GT(run.network().strays(), 100u);
  }
}

TEST(Gateway, DeliversEverythingOverBusyNetwork) {
  NumberRun run(2, {.seed = 9, .busy = 95, .late = 80});
  expect_exchange(run, kCount, [] { return kNone; });
}

/// A network that adds a changed copy after or before some frames. `forge` makes the copy; `forged`
/// counts the copies.
NetworkOptions with_forgeries(std::uint64_t seed, std::uint64_t& forged, const auto& forge) {
  NetworkOptions options{.seed = seed};
  options.fate = [random = Random(seed), &forged, forge](unsigned, unsigned,
                                                         const FrameBytes& frame) mutable {
    std::vector<FrameBytes> arriving{frame};
    if (header_of(frame).sequence == 0 || random.below(3) != 0) return arriving;
    ++forged;
    arriving.push_back(forge(frame, random));
    if (random.coin()) std::swap(arriving[0], arriving[1]);
    return arriving;
  };
  return options;
}

void expect_unimpressed(FrameError error, const auto& forge) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(5u); ++seed) {
    SCOPED_TRACE(seed);
    std::uint64_t forged = 0;
    NumberRun run(3, with_forgeries(seed, forged, forge));
    expect_exchange(run, kCount, [&] { return refusals(error, forged); });
    EXPECT_GT(forged, 10u);
  }
}

FrameBytes changed(const FrameBytes& frame, const auto& change) {
  FrameMemory memory(frame);
  memory.change(change);
  return {memory.bytes().begin(), memory.bytes().end()};
}

TEST(Gateway, RefusesCopiesByTheirSequenceNumber) {
  expect_unimpressed(FrameError::wrong_sequence,
                     [](const FrameBytes& frame, Random&) { return frame; });
}

TEST(Gateway, RefusesFramesBeyondWindowBySequenceNumber) {
  expect_unimpressed(FrameError::wrong_sequence, [](const FrameBytes& frame, Random& random) {
    // The number is far beyond those of the run, so that the frame is outside the window even if it
    // arrives late.
    return changed(frame, [&](FrameHeader& h) { h.sequence += 1ull << (20 + random.below(43)); });
  });
}

TEST(Gateway, RefusesWrongTokenAsWrongJob) {
  expect_unimpressed(FrameError::wrong_job, [](const FrameBytes& frame, Random& random) {
    return changed(frame, [&](FrameHeader& h) { h.token ^= 1ull << random.below(64); });
  });
}

TEST(Gateway, RefusesFrameOfAnotherPairAsWrongJob) {
  expect_unimpressed(FrameError::wrong_job, [](const FrameBytes& frame, Random&) {
    return changed(frame, [](FrameHeader& h) { h.source = (h.source + 1) % 3; });
  });
}

TEST(Gateway, RefusesFrameOfUnknownProcessAsWrongJob) {
  expect_unimpressed(FrameError::wrong_job, [](const FrameBytes& frame, Random& random) {
    return changed(frame, [&](FrameHeader& h) { h.source = 3 + random.below(1u << 31); });
  });
}

TEST(Gateway, RefusesDamagedPacketsByChecksum) {
  expect_unimpressed(FrameError::bad_checksum, [](FrameBytes frame, Random& random) {
    const auto beyond = static_cast<std::uint32_t>(frame.size() - sizeof(FrameHeader));
    frame[sizeof(FrameHeader) + random.below(beyond)] ^= std::byte(1 + random.below(255));
    return frame;
  });
}

TEST(Gateway, RefusesNoiseAsMalformed) {
  expect_unimpressed(FrameError::malformed, [](const FrameBytes&, Random& random) {
    FrameBytes noise(random.below(1000));
    for (std::byte& byte : noise) byte = std::byte(random.below(256));
    return noise;
  });
}

TEST(Gateway, RefusesTruncatedFrameAsMalformed) {
  expect_unimpressed(FrameError::malformed, [](FrameBytes frame, Random& random) {
    frame.resize(random.below(static_cast<std::uint32_t>(frame.size())));
    return frame;
  });
}

TEST(Gateway, RefusesTooLongMessageAsMalformed) {
  expect_unimpressed(FrameError::malformed, [](FrameBytes frame, Random&) {
    frame.resize(5000);
    return frame;
  });
}

TEST(Gateway, RefusesPacketThatRouteRejects) {
  expect_unimpressed(FrameError::bad_packet, [](const FrameBytes& frame, Random&) {
    FrameMemory memory(frame);
    const std::uint32_t target = NumberGateway::kTarget + 1;
    std::memcpy(memory.bytes().data() + frame.size() - sizeof(ofi::PacketRun), &target,
                sizeof(target));
    memory.sign();
    return FrameBytes(memory.bytes().begin(), memory.bytes().end());
  });
}

TEST(Gateway, RefusesReplayedFrames) {
  NumberRun run(2, {.seed = 4});
  expect_exchange(run, kCount, [] { return kNone; });
  const auto recorded = run.network().recorded();
  std::uint64_t numbered = 0;
  for (const auto& [to, frame] : recorded) {
    run.network().inject(to, frame);
    numbered += header_of(frame).sequence != 0 ? 1 : 0;
  }
  run.settle();
  run.expect_numbers_in_order(kCount);
  EXPECT_EQ(run.refused(), refusals(FrameError::wrong_sequence, numbered));
}

TEST(Gateway, RefusesAllFramesOfAnotherRun) {
  NumberRun recorded(2, {.seed = 5});
  recorded.exchange(kCount);
  NumberRun run(2, {.seed = 6});
  std::uint64_t frames = 0;
  for (const auto& [to, frame] : recorded.network().recorded()) {
    run.network().inject(to, changed(frame, [](FrameHeader& h) { h.token = mix64(h.token); }));
    ++frames;
  }
  expect_exchange(run, kCount, [&] { return refusals(FrameError::wrong_job, frames); });
}

TEST(Gateway, IgnoresAcknowledgementOfUnsentFrames) {
  NumberRun run(2, {.seed = 7});
  FrameMemory boast(sizeof(FrameHeader));
  boast.change([](FrameHeader& h) {
    h = {};
    h.magic = kFrameMagic;
    h.source = 1;
    h.token = token_of(1, 0);
    h.bytes = sizeof(FrameHeader);
    h.received = h.freed = 1000;
  });
  run.network().inject(0, {boast.bytes().begin(), boast.bytes().end()});
  expect_exchange(run, kCount, [] { return kNone; });
}

TEST(Gateway, SendsNoMoreThanWindowWhileNothingIsFreed) {
  NumberRun run(2, {.seed = 8});
  run.gateway(1).keep(true);
  std::uint32_t sent = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    while (run.gateway(0).try_send(1, sent)) ++sent;
    run.step(0, true);
    run.step(1, true);
  }
  EXPECT_EQ(run.network().frames_sent(0, 1), testing::kSmallFrames.window);
  EXPECT_EQ(run.gateway(1).frames_held(), testing::kSmallFrames.window);
  run.gateway(1).keep(false);
  run.settle();
  EXPECT_EQ(run.gateway(1).received(0).size(), sent);
}

/// One process sends, and gets nothing back except acknowledgements.
void expect_one_way(NumberRun& run, bool idle) {
  std::uint32_t sent = 0;
  for (unsigned steps = 0; run.gateway(1).received(0).size() < kCount; ++steps) {
    ASSERT_LT(steps, 1'000'000u);
    while (sent < kCount && run.gateway(0).try_send(1, sent)) ++sent;
    run.step(0, idle || sent == kCount);
    run.step(1, idle);
  }
  for (unsigned steps = 0; run.gateway(0).in_flight(1) > 0; ++steps) {
    ASSERT_LT(steps, 1'000'000u) << "the last frames are not acknowledged";
    run.step(steps % 2, idle);
  }
  EXPECT_EQ(run.network().frames_sent(1, 0), 0u) << "acknowledgements do not use the window";
}

TEST(Gateway, AcknowledgesEvenIfNothingIsSentBack) {
  NumberRun run(2, {.seed = 10});
  expect_one_way(run, true);
}

TEST(Gateway, AcknowledgesEvenIfWorkerIsNeverIdle) {
  NumberRun run(2, {.seed = 11});
  expect_one_way(run, false);
}

TEST(Gateway, FallsSilentWhenEverythingIsAcknowledged) {
  NumberRun run(3, {.seed = 12});
  run.exchange(kCount);
  run.settle();
  const std::size_t frames = run.network().recorded().size();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (unsigned i = 0; i < 3000; ++i) EXPECT_NO_FATAL_FAILURE(run.step(i % 3, true));
  EXPECT_EQ(run.network().recorded().size(), frames);
}

using std::chrono::milliseconds;

/// The network's clock advances by this with every step.
constexpr std::chrono::microseconds kTick{100};

/// Takes steps of these processes until process 0 suspects `suspect` (-1: nobody), for at most a
/// minute by the network's clock.
void step_until(NumberRun& run, std::initializer_list<unsigned> processes, int suspect) {
  const auto end = run.transport(0).now() + std::chrono::seconds(60);
  while (run.gateway(0).suspect() != suspect && run.transport(0).now() < end)
    for (const unsigned p : processes) run.step(p, true);
  EXPECT_EQ(run.gateway(0).suspect(), suspect);
}

TEST(Gateway, SuspectsSilentProcessUntilItAnswers) {
  NumberRun run(3, {.seed = 13, .tick = kTick});
  ASSERT_TRUE(run.gateway(0).try_send(1, 0));
  ASSERT_TRUE(run.gateway(0).try_send(2, 0));
  const auto begin = run.transport(0).now();
  step_until(run, {0, 2}, 1);
  EXPECT_GE(run.transport(0).now() - begin, std::chrono::seconds(3));
  EXPECT_LE(run.transport(0).now() - begin, milliseconds(3200));
  step_until(run, {0, 1, 2}, -1);
}

TEST(Gateway, SuspectsReceiverOfLostFrameAndDeliversNothingAfterIt) {
  NetworkOptions options{.seed = 14, .tick = kTick};
  options.fate = [](unsigned, unsigned, const FrameBytes& frame) {
    const bool lost = header_of(frame).sequence == 3;
    return lost ? std::vector<FrameBytes>{} : std::vector<FrameBytes>{frame};
  };
  NumberRun run(2, options);
  std::uint32_t sent = 0;
  while (run.network().frames_sent(0, 1) < 5) {
    while (run.gateway(0).try_send(1, sent)) ++sent;
    run.step(0, true);
    run.step(1, true);
    if (run.gateway(0).in_flight(1) == 4) break;
  }
  step_until(run, {0, 1}, 1);
  const auto& received = run.gateway(1).received(0);
  ASSERT_LT(received.size(), sent);
  for (std::uint32_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i], i);
  EXPECT_EQ(run.gateway(1).suspect(), -1);
}

TEST(Gateway, ReportsTransportErrorOfUnreachableProcess) {
  NumberRun run(3, {.seed = 15, .gone = 2});
  EXPECT_FALSE(run.gateway(0).transport_error().has_value());
  ASSERT_TRUE(run.gateway(0).try_send(1, 0));
  ASSERT_TRUE(run.gateway(0).try_send(2, 0));
  for (unsigned i = 0; i < 2000; ++i) run.step(i % 3, true);
  const auto error = run.gateway(0).transport_error();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->peer, 2u);
  EXPECT_EQ(error->what, "error 111");
  EXPECT_EQ(run.gateway(1).received(0).size(), 1u);
}

/// Process 2 dies after a while: it takes no more steps. Its last frames may still be in flight.
TEST(Gateway, AfterLossServesOthersAndCountsPacketsOfLostPeer) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(8u, 25u); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    NumberRun run(3, {.seed = seed, .busy = random.below(60), .late = random.below(60)});
    std::vector<std::uint32_t> next(9, 0);
    const auto send = [&](unsigned from, unsigned to) {
      std::uint32_t& number = next[from * 3 + to];
      number += run.gateway(from).try_send(to, number) ? 1 : 0;
    };
    for (unsigned steps = 0; steps < 2000; ++steps) {
      const unsigned p = random.below(3);
      send(p, (p + 1 + random.below(2)) % 3);
      ASSERT_NO_FATAL_FAILURE(run.step(p, random.coin()));
    }
    for (const unsigned p : {0u, 1u}) {
      run.gateway(p).lose(2);
      (void)run.gateway(p).step(true);
    }
    const auto came = std::vector{run.gateway(0).received(2), run.gateway(1).received(2)};
    for (unsigned steps = 0; steps < 20'000; ++steps) {
      const unsigned p = steps % 2;
      if (next[p * 3 + 1 - p] < 1000) send(p, 1 - p);
      const std::uint32_t dropped = next[p * 3 + 2];
      send(p, 2);
      EXPECT_EQ(next[p * 3 + 2], dropped + 1);
      ASSERT_NO_FATAL_FAILURE(run.step(p, random.coin()));
    }
    for (const unsigned p : {0u, 1u}) {
      (void)run.gateway(p).step(true);
      const ClosedFlows closed = run.gateway(p).closed();
      EXPECT_EQ(closed.peers, 1u);
      EXPECT_EQ(closed.sent, next[p * 3 + 2]);
      EXPECT_EQ(closed.received, came[p].size());
      EXPECT_EQ(run.gateway(p).received(2), came[p]);
      EXPECT_EQ(run.gateway(1 - p).received(p).size(), 1000u);
      EXPECT_EQ(run.gateway(p).suspect(), -1);
    }
    EXPECT_EQ(run.refused(), kNone);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FrameBuffers, StayWithinMemoryLimitForAnyNumberOfPeers) {
  for (const unsigned peers : {0u, 1u, 7u, 300u, 4000u}) {
    const FlowLimits limits = FrameBuffers::limits_for(peers, std::size_t{256} << 10);
    FrameBuffers buffers(peers, limits);
    EXPECT_EQ(buffers.memory().size(), peers * FrameBuffers::bytes_per_peer(limits));
    EXPECT_GE(buffers.inward().size(), peers * limits.window);
    EXPECT_TRUE(limits.frame_bytes == 4096 || buffers.memory().size() <= std::size_t{128} << 20);
    EXPECT_EQ(limits.frame_bytes % kFrameAlignment, 0u);
  }
}

TEST(FrameBuffers, AreDisjointAndAligned) {
  FrameBuffers buffers(3, testing::kSmallFrames);
  std::vector<std::span<std::byte>> all;
  for (const Operation& operation : buffers.inward()) all.push_back(operation.buffer);
  for (unsigned peer = 0; peer < 3; ++peer) {
    for (const Operation& operation : buffers.outward(peer)) all.push_back(operation.buffer);
    all.push_back(buffers.acknowledgement(peer).buffer);
  }
  std::ranges::sort(all, {}, [](const auto& buffer) { return buffer.data(); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[i].data()) % kFrameAlignment, 0u);
    const std::byte* const next =
        i + 1 < all.size() ? all[i + 1].data() : buffers.memory().data() + buffers.memory().size();
    EXPECT_LE(all[i].data() + all[i].size(), next);
  }
}

}  // namespace
}  // namespace toroid::ofi
