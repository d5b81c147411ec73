// With faulty frames between processes, everything still arrives once and in order.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "router/job/blob.hpp"
#include "router/ofi/faulty_transport.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/gateway.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/number_gateway.hpp"
#include "tests/router/ofi/stepped_exchange.hpp"
#include "tests/router/ofi/stepped_machine.hpp"
#include "tests/scale.hpp"

namespace toroid::ofi {
namespace {

using testing::NetworkOptions;
using testing::NumberRun;
using testing::SteppedExchange;
using testing::SteppedMachine;
using testing::SteppedOptions;

constexpr std::uint32_t kNumbers = 200;
constexpr FlowLimits kKept{.frame_bytes = 1024, .window = 4, .send_buffers = 6, .checked = true};

NetworkOptions ticking(std::uint64_t seed) {
  return {.seed = seed, .keeps = true, .tick = std::chrono::microseconds(5)};
}

LinkErrors errors_of(double rate, LinkFaultSet faults, unsigned burst = 1) {
  return {.rates = {{rate, ""}}, .faults = faults, .burst = burst};
}

LinkErrorCounters sum_of(const std::vector<LinkHealth>& health) {
  LinkErrorCounters sum;
  for (const LinkHealth& way : health) sum.add(way);
  return sum;
}

/// Runs an exchange of numbers, checks it, and returns the error counters of all flows together.
LinkErrorCounters expect_numbers(unsigned processes, std::uint64_t seed, const LinkErrors& errors,
                                 const FlowLimits& limits = kKept) {
  SCOPED_TRACE(fmt::format("{} processes, seed {}, rate {}, faults {:#x}, burst {}, window {}",
                           processes, seed, errors.rates.front().errors, errors.faults,
                           errors.burst, limits.window));
  NumberRun run(processes, ticking(seed), limits, errors);
  run.exchange(kNumbers);
  if (!::testing::Test::HasFatalFailure()) run.settle();
  if (!::testing::Test::HasFatalFailure()) run.expect_numbers_in_order(kNumbers);
  EXPECT_TRUE(errors.rates.front().errors == 0 || run.faults() > 0);
  return sum_of(run.health());
}

TEST(FaultyFrames, ArriveOnceAndInOrderUnderEachFault) {
  for (unsigned fault = 0; fault < 5; ++fault)
    for (const double rate : {0.01, 0.1, 0.3}) {
      const auto set = static_cast<LinkFaultSet>(1u << fault);
      const LinkErrorCounters sum = expect_numbers(2 + fault % 3, fault + 1, errors_of(rate, set));
      EXPECT_EQ(sum.crc_mismatches, 0u);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(FaultyFrames, ArriveOnceAndInOrderUnderAllFaultsTogether) {
  const unsigned seeds = testing::scaled(12u);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Random random(seed);
    const double rate = 0.3 * (1 + random.below(10)) / 10;
    const unsigned window = 1 + random.below(8);
    const LinkErrorCounters sum = expect_numbers(
        2 + random.below(3), seed, errors_of(rate, kNoticedFaults, 1 + random.below(3)),
        {.frame_bytes = 1024, .window = window, .send_buffers = window + 2, .checked = true});
    EXPECT_EQ(sum.crc_mismatches, 0u);
    EXPECT_GT(sum.errors, 0u);
    EXPECT_GT(sum.repeats, 0u);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FaultyFrames, NeedlesslyResentFramesAreRefused) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LinkErrorCounters sum = expect_numbers(3, seed, errors_of(0, kNoticedFaults));
    // The network changes the order of frames, so that some are resent although they have arrived.
    EXPECT_EQ(sum.errors, sum.repeats);
    EXPECT_EQ(sum.crc_mismatches, 0u);
  }
}

TEST(FaultyFrames, DamagedFramesAreRefusedAsMalformedOrByChecksum) {
  NumberRun run(2, ticking(3), kKept, errors_of(0.2, set_of(LinkFault::corrupt)));
  ASSERT_NO_FATAL_FAILURE(run.exchange(kNumbers));
  ASSERT_NO_FATAL_FAILURE(run.settle());
  const RefusedFrames refused = run.refused();
  EXPECT_EQ(refused[static_cast<std::size_t>(FrameError::malformed)] +
                refused[static_cast<std::size_t>(FrameError::bad_checksum)],
            run.faults());
}

TEST(FaultyFrames, DuplicatesAreRefusedBySequenceNumber) {
  NumberRun run(2, ticking(3), kKept, errors_of(0.2, set_of(LinkFault::duplicate)));
  ASSERT_NO_FATAL_FAILURE(run.exchange(kNumbers));
  ASSERT_NO_FATAL_FAILURE(run.settle());
  ASSERT_NO_FATAL_FAILURE(run.expect_numbers_in_order(kNumbers));
  EXPECT_GT(run.refused()[static_cast<std::size_t>(FrameError::wrong_sequence)], 5u);
}

/// The health of the flows between the machine's processes.
std::vector<LinkHealth> health_of(SteppedMachine& machine, unsigned processes) {
  std::vector<Blob> packed;
  for (unsigned p = 0; p < processes; ++p) packed.push_back(pack(machine.gateway(p).health()));
  return unpack_and_judge(packed);
}

SteppedOptions stepped(RingRoute route, TransferMode transfer, std::uint64_t seed,
                       const LinkErrors& errors) {
  return {.processes = 2 + static_cast<unsigned>(seed % 2),
          .workers = 1 + static_cast<unsigned>(seed % 3),
          .route = route,
          .network = ticking(seed),
          .node = {.seed = seed,
                   .packets_per_visit = transfer == TransferMode::put ? 1u << 20 : 1u,
                   .transfer = transfer},
          .limits = kKept,
          .errors = errors};
}

void expect_exchange(RingRoute route, TransferMode transfer, std::uint64_t seed,
                     const LinkErrors& errors) {
  SCOPED_TRACE(fmt::format("{}, transfer {}, seed {}, rate {}, faults {:#x}",
                           kRingRouteNames[static_cast<unsigned>(route)],
                           static_cast<unsigned>(transfer), seed, errors.rates.front().errors,
                           errors.faults));
  const SteppedOptions options = stepped(route, transfer, seed, errors);
  SteppedMachine machine(Shape::parse("3x2"), options);
  SteppedExchange exchange(machine, 2000 + 137 * seed);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  exchange.expect_complete();
  EXPECT_EQ(machine.injected(), machine.delivered());
  const LinkErrorCounters sum = sum_of(health_of(machine, options.processes));
  EXPECT_EQ(sum.crc_mismatches, 0u);
}

TEST(FaultyFrames, ExchangeIsCompleteOnEitherRouteByPacketsOrPut) {
  std::uint64_t seed = 1;
  for (const auto& [route, transfer] :
       std::vector<std::pair<RingRoute, TransferMode>>{{RingRoute::direct, TransferMode::packets},
                                                       {RingRoute::direct, TransferMode::put},
                                                       {RingRoute::torus, TransferMode::packets}}) {
    for (unsigned fault = 0; fault < 5; ++fault)
      expect_exchange(route, transfer, seed++,
                      errors_of(0.2, static_cast<LinkFaultSet>(1u << fault)));
    for (const double rate : {0.001, 0.03, 0.3})
      expect_exchange(route, transfer, seed++, errors_of(rate, kNoticedFaults));
  }
}

TEST(FaultyFrames, SilentDamageIsFoundByRunningChecksums) {
  const LinkErrors errors = errors_of(0.1, set_of(LinkFault::silent));
  SteppedMachine machine(Shape::parse("3x2"),
                         stepped(RingRoute::direct, TransferMode::put, 4, errors));
  SteppedExchange exchange(machine, 5000);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  const LinkErrorCounters sum = sum_of(health_of(machine, 2));
  EXPECT_EQ(sum.crc_mismatches, 2u);
  EXPECT_EQ(machine.refused()[static_cast<std::size_t>(FrameError::bad_checksum)], 0u);
}

TEST(FaultyFrames, UnreachableProcessBecomesSuspect) {
  constexpr std::chrono::microseconds kTick{40};
  NetworkOptions network = ticking(13);
  network.tick = kTick;
  network.fate = [](unsigned, unsigned to, const testing::FrameBytes& frame) {
    return std::vector<testing::FrameBytes>(to == 1 ? 0 : 1, frame);
  };
  NumberRun run(3, network, kKept, errors_of(0.3, kNoticedFaults));
  ASSERT_TRUE(run.gateway(0).try_send(1, 0));
  ASSERT_TRUE(run.gateway(0).try_send(2, 0));
  unsigned steps = 0;
  for (; run.gateway(0).suspect() < 0 && steps < 4'000'000; ++steps)
    ASSERT_NO_FATAL_FAILURE(run.step(steps % 3, true));
  EXPECT_EQ(run.gateway(0).suspect(), 1);
  EXPECT_GE(steps * kTick, std::chrono::seconds(3));
}

TEST(FaultyFrames, FrequentLossesOnSlowNetworkCauseNoSuspicion) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    NetworkOptions network = ticking(seed);
    network.tick = std::chrono::milliseconds(2);
    network.late = 97;  // round trips of 0.5 s, as if processes waited for a CPU
    NumberRun run(2, network, kKept, errors_of(0.3, set_of(LinkFault::drop)));
    std::uint32_t next = 0;
    while (run.gateway(1).received(0).size() < kNumbers) {
      while (next < kNumbers && run.gateway(0).try_send(1, next)) ++next;
      for (unsigned p = 0; p < 2; ++p) ASSERT_NO_FATAL_FAILURE(run.step(p, true));
      ASSERT_EQ(run.gateway(0).suspect(), -1) << "seed " << seed;
    }
  }
}

TEST(FaultyFrames, ErrorRateIsTheLastOneGivenForAllLinks) {
  EXPECT_EQ(frame_error_rate({}), 0);
  EXPECT_EQ(frame_error_rate({.rates = {{0.25, "(0,0)X+"}}}), 0);
  EXPECT_EQ(frame_error_rate({.rates = {{0.5, ""}, {0.125, ""}, {0.25, "(0,0)X+"}}}), 0.125);
}

}  // namespace
}  // namespace toroid::ofi
