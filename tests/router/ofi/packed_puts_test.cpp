// Puts to other processes: packed by the sender, unpacked by the receiver, over a network in memory
// that is slow and changes the order of frames, and over real providers.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/message_or_write.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/ofi/changed_part.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/frames.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/ofi/stepped_exchange.hpp"
#include "tests/router/ofi/stepped_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::FrameBytes;
using testing::FrameMemory;
using ::testing::HasSubstr;
using testing::header_of;
using testing::kHandler;
using testing::OfiCase;
using testing::SteppedExchange;
using testing::SteppedMachine;
using testing::SteppedOptions;

constexpr std::uint32_t kWhole = 1u << 20;

NodeOptions by(TransferMode transfer, std::uint32_t packets_per_visit = kWhole) {
  return {.seed = 5, .packets_per_visit = packets_per_visit, .transfer = transfer};
}

void expect_packed(const char* text, std::uint64_t bytes, const SteppedOptions& options) {
  SCOPED_TRACE(fmt::format("{} bytes on {} over {} processes of {} workers, frames of {}, seed {}",
                           bytes, text, options.processes, options.workers,
                           options.limits.frame_bytes, options.network.seed));
  const Shape shape = Shape::parse(text);
  SteppedMachine machine(shape, options);
  SteppedExchange exchange(machine, bytes);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  exchange.expect_complete();
  const std::uint64_t pairs = std::uint64_t{shape.size()} * (shape.size() - 1);
  EXPECT_EQ(machine.delivered(), pairs * ((bytes + 239) / 240));
  EXPECT_EQ(machine.put_bytes(), pairs * bytes);
  EXPECT_EQ(machine.packed_bytes(), testing::pairs_between(shape, options.processes) * bytes);
  EXPECT_EQ(machine.refused(), ofi::RefusedFrames{});
}

/// Tori, and the number of processes that share each.
const std::vector<std::pair<const char*, unsigned>> kDivided = {
    {"2", 2}, {"5", 2}, {"7m", 3}, {"4x2m", 4}, {"1x6x1", 5}, {"3x3", 9}};

TEST(PackedPuts, DeliverEveryByteForAnyNumberOfWorkersAndFrames) {
  constexpr std::array<std::size_t, 3> kFrames = {512, 1024, 16384};
  for (const auto& row : testing::combinations({kDivided.size(), 3, kFrames.size()})) {
    const auto& [text, processes] = kDivided[row[0]];
    const auto workers = static_cast<unsigned>(1 + row[1]);
    expect_packed(text, 4000 + 37 * workers,
                  {.processes = processes,
                   .workers = workers,
                   .network = {.seed = workers + processes},
                   .node = by(TransferMode::put),
                   .limits = {.frame_bytes = kFrames[row[2]], .window = 4, .send_buffers = 3}});
  }
}

TEST(PackedPuts, DeliverMessagesOfEveryLengthThroughSmallestBuffers) {
  constexpr std::array<std::uint64_t, 6> kBytes = {1, 239, 240, 241, 2400, 30'011};
  constexpr std::array kPerVisit = {1u, 3u, kWhole};
  for (const auto& row : testing::combinations({kBytes.size(), 2, kPerVisit.size()}))
    expect_packed("5", kBytes[row[0]],
                  {.processes = 2,
                   .workers = row[1] == 0 ? 1u : 3u,
                   .network = {.seed = kBytes[row[0]]},
                   .node = by(TransferMode::put, kPerVisit[row[2]]),
                   .machine = testing::smallest_buffers(),
                   .limits = {.frame_bytes = 512, .window = 1, .send_buffers = 1}});
}

TEST(PackedPuts, AreNotUsedIfUserWantsPackets) {
  SteppedMachine machine(Shape::parse("4"), {.processes = 2, .node = by(TransferMode::packets, 8)});
  SteppedExchange exchange(machine, 5000);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  exchange.expect_complete();
  EXPECT_EQ(machine.put_bytes(), 0u);
}

/// A policy's window limits the packets in flight. A packed put is complete for its sender before
/// the bytes arrive, so the window could not count them.
TEST(PackedPuts, AreNotUsedUnderWindow) {
  constexpr std::uint64_t kBytes = 9000;
  SteppedOptions options{.processes = 3, .workers = 2, .node = by(TransferMode::put)};
  options.node.settings.throttle.window = 4;
  options.node.named_queues = 1;
  const Shape shape = Shape::parse("6");
  SteppedMachine machine(shape, options);
  SteppedExchange exchange(machine, kBytes);
  exchange.run();
  exchange.expect_all_arrived();  // acknowledgements may still be in flight
  EXPECT_EQ(machine.packed_bytes(), 0u);
  EXPECT_EQ(machine.put_bytes(), (30 - testing::pairs_between(shape, options.processes)) * kBytes);
}

std::string failure_with(const auto& change) {
  SteppedMachine machine(
      Shape::parse("2"),
      {.processes = 2,
       .network = testing::with_changed_part(
           [change](ofi::PartHeader& part, std::span<std::byte>) { change(part); }),
       .node = by(TransferMode::put)});
  SteppedExchange exchange(machine, 5000);
  return testing::failure_of([&] { exchange.run(); });
}

TEST(PackedPuts, UnexpectedPartEndsRun) {
  EXPECT_THAT(failure_with([](ofi::PartHeader& part) { part.window = 999; }),
              HasSubstr("received a put for window 999, which it does not have"));
  for (const auto& change : std::vector<std::function<void(ofi::PartHeader&)>>{
           [](ofi::PartHeader& part) { part.first = 1'000'000; },
           [](ofi::PartHeader& part) { part.first = ~std::uint32_t{0}; },
           [](ofi::PartHeader& part) { part.packets += 1; },
           [](ofi::PartHeader& part) { part.bytes -= 1; },
           [](ofi::PartHeader& part) { part.origin = 1'000'000; },
           [](ofi::PartHeader& part) { part.origin = 2; }})
    EXPECT_THAT(failure_with(change), HasSubstr("bytes of the exchange that does not fit"));
}

/// Several exchanges one after the other, with a barrier between them.
Program exchange_blocks_again(Node& node, Exchange* exchange, BlockMessages* blocks,
                              unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    exchange->start();
    co_await exchange->wait();
    testing::expect_known(*blocks, node.rank(), node.size());
    co_await node.barrier();
  }
}

void exchange_packed(Job& job, EmulatedMachine& machine, unsigned rounds) {
  std::vector<std::unique_ptr<BlockMessages>> blocks(machine.size());
  std::vector<std::unique_ptr<Exchange>> exchanges(machine.size());
  testing::PlanPointer plan;
  for (const Rank r : machine.ranks()) {
    blocks[r] = testing::known_blocks(machine.node(r), 300'001);
    if (!plan) plan = testing::plan_for(machine.node(r), *blocks[r]);
    exchanges[r] = std::make_unique<Exchange>(machine.node(r), kHandler,
                                              Group::all(machine.shape(), r), *plan, *blocks[r]);
  }
  machine.run([&](Node& node) {
    const Rank r = node.rank();
    return exchange_blocks_again(node, exchanges[r].get(), blocks[r].get(), rounds);
  });
  TOROID_CHECK(machine.finished());
  if (job.rank() != 0) return;
  TOROID_CHECK_EQ(machine.counters().put_bytes, std::uint64_t{rounds} * 12 * 300'001);
  TOROID_CHECK(machine.counters().packed_bytes > 0);
}

using PackedPutsOverOfi = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, PackedPutsOverOfi, testing::kProviders, testing::provider_name);

TEST_P(PackedPutsOverOfi, DeliverEveryByteAndAreCountedAsPacked) {
  const unsigned rounds = testing::is_thorough() ? 10 : 3;
  for (const auto& row : testing::combinations_over(GetParam(), {2, 2})) {
    OfiCase c{.processes = row[0] == 0 ? 2u : 3u, .workers = row[1] == 0 ? 1u : 2u};
    c.provider = GetParam();
    c.transfer = TransferMode::put;
    c.packets_per_visit = kWhole;
    c.frames = FrameWay::messages;
    testing::run_on_ofi(Shape::parse("4"), c, [&](Job& job, EmulatedMachine& machine) {
      exchange_packed(job, machine, rounds);
    });
  }
}

}  // namespace
}  // namespace toroid
