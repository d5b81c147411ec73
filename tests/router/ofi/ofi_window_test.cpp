// Puts and gets between windows of nodes in several processes.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/window.hpp"
#include "packet/exchange/window_message.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/ofi/providers.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/window_world.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/ofi/changed_part.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/ofi/stepped_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::Bytes;
using testing::EmulatedMachine;
using ::testing::HasSubstr;
using testing::OfiCase;

using OfiWindow = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiWindow, testing::kProviders, testing::provider_name);

TEST_P(OfiWindow, PutsAndGetsMatchByteByByteCopyPackedAndInPackets) {
  std::uint64_t seed = 0;
  for (const auto& row : testing::combinations_over(GetParam(), {2, 2, 2, 2})) {
    const char* const torus = row[0] == 0 ? "2" : "3x2";
    OfiCase c{.route = testing::kRoutes[row[1]], .provider = GetParam()};
    c.processes = row[0] == 0 ? 2 : 3;
    c.workers = row[2] == 0 ? 1 : 2;
    c.transfer = row[3] == 0 ? TransferMode::automatic : TransferMode::put;
    c.seed = ++seed;
    SCOPED_TRACE(fmt::format("{} {}", torus, c.text()));
    testing::run_on_ofi(Shape::parse(torus), c, [&](Job&, EmulatedMachine& machine) {
      testing::take_all_steps(machine, c.seed);
    });
  }
}

TEST_P(OfiWindow, PutsAndGetsAreRightThroughSmallestBuffers) {
  for (const RingRoute route : testing::kRoutes) {
    OfiCase c{.route = route, .provider = GetParam(), .transfer = TransferMode::put};
    c.machine = testing::smallest_buffers();
    testing::run_on_ofi(Shape::parse("4"), c, [&](Job&, EmulatedMachine& machine) {
      testing::take_all_steps(machine, 5, 5000);
    });
  }
}

Program put_to_the_last(Node& node, std::deque<Window>* windows, Bytes* array) {
  if (node.rank() == 0) {
    const PendingPut put = windows->front().put(node.size() - 1, 100, *array, Acknowledge::yes);
    co_await put.remote();
  }
  co_await node.barrier();
}

TEST(OfiProviders, SupportRemoteReadsAndWrites) {
  for (const char* name : {"tcp;ofi_rxm", "shm"}) {
    const ofi::Candidate provider = ofi::Providers("").get(name);
    if (provider.info == nullptr) GTEST_SKIP() << name << ": " << provider.reason;
    EXPECT_TRUE(provider.writes) << name;
    EXPECT_GT(provider.least_read, 0u) << name;
    EXPECT_EQ(ofi::Providers("").get(name, false).least_read, 0u) << name;
  }
}

/// Runs over a network in memory that is slow and changes the order of frames.
TEST(SteppedWindow, PutsAndGetsAreRightForAnyNumberOfWorkersAndFrames) {
  for (const unsigned workers : {1u, 2u, 3u})
    for (const std::size_t frame : {512u, 1024u, 16384u})
      for (const TransferMode transfer : {TransferMode::automatic, TransferMode::put}) {
        SCOPED_TRACE(fmt::format("{} workers, frames of {}", workers, frame));
        testing::SteppedOptions options{
            .processes = 3,
            .workers = workers,
            .network = {.seed = workers, .least_read = workers == 1 ? 0u : 300u},
            .node = {.transfer = transfer},
            .machine = frame == 512 ? testing::smallest_buffers() : Machine(),
            .limits = {.frame_bytes = frame, .window = 2, .send_buffers = 2}};
        testing::SteppedMachine machine(Shape::parse("5"), options);
        const std::vector<Rank> ranks = {0, 1, 2, 3, 4};
        testing::WindowWorld world(machine, ranks, frame + workers, 5000);
        ASSERT_NO_FATAL_FAILURE(
            machine.run([&](Node& node) { return testing::take_steps(node, &world); }));
        for (const Rank r : ranks) world.expect_right(r);
        EXPECT_GT(machine.packed_bytes(), 0u);
        EXPECT_EQ(machine.refused(), ofi::RefusedFrames{});
      }
}

/// The error of a run with a put of one part of 600 bytes that is changed on its way.
std::string failure_of_changed(const auto& change) {
  testing::SteppedMachine machine(Shape::parse("2"), {.processes = 2,
                                                      .network = testing::with_changed_part(change),
                                                      .node = {.transfer = TransferMode::put}});
  Bytes memory(3 * 6000, testing::kUntouched);
  Bytes array(600, std::byte{5});
  std::deque<Window> windows;
  windows.emplace_back(machine.node(0), std::span<std::byte>());
  windows.emplace_back(machine.node(1), std::span(memory).subspan(6000, 6000));
  const std::string failure = testing::failure_of(
      [&] { machine.run([&](Node& node) { return put_to_the_last(node, &windows, &array); }); });
  EXPECT_EQ(std::ranges::count(memory, std::byte{5}), 0);
  return failure;
}

/// Overwrites a value at an offset of the part's label (packet/exchange/window_message.hpp).
template <typename T>
auto with_label(std::size_t place, T value) {
  return [=](ofi::PartHeader&, std::span<std::byte> bytes) {
    std::memcpy(bytes.data() + place, &value, sizeof value);
  };
}

TEST(SteppedWindow, InvalidPartEndsRunAndWritesNothing) {
  constexpr std::size_t kOffset = 0, kBytes = 8, kAt = 12, kKind = 20, kBoxed = 21;
  const auto code = [](WindowMessageKind kind) { return static_cast<std::uint8_t>(kind); };
  EXPECT_THAT(
      failure_of_changed(with_label(kOffset, std::uint64_t{5401})),
      HasSubstr("a put by (0) goes beyond window 255, which has 6000 bytes: 600 bytes at offset "
                "5401"));
  EXPECT_THAT(failure_of_changed(with_label(kOffset, ~std::uint64_t{0})),
              HasSubstr("goes beyond window"));
  EXPECT_THAT(failure_of_changed(with_label(kBytes, 6001u)), HasSubstr("goes beyond window"));
  EXPECT_THAT(failure_of_changed(with_label(kBytes, 1u)), HasSubstr("not a message of window 255"));
  EXPECT_THAT(failure_of_changed(with_label(kAt, 599u)), HasSubstr("not a message of window 255"));
  EXPECT_THAT(failure_of_changed(with_label(kAt, ~0u)), HasSubstr("not a message of window 255"));
  EXPECT_THAT(failure_of_changed(with_label(kKind, std::uint8_t{5})),
              HasSubstr("not a message of"));
  EXPECT_THAT(failure_of_changed(with_label(kBoxed, std::uint8_t{2})),
              HasSubstr("not a message of"));
  EXPECT_THAT(failure_of_changed(with_label(kKind, code(WindowMessageKind::answer))),
              HasSubstr("to a get: window 255 has none pending"));
  EXPECT_THAT(failure_of_changed(with_label(kKind, code(WindowMessageKind::acknowledgement))),
              HasSubstr("to a put: window 255 has none pending"));
  EXPECT_THAT(failure_of_changed(
                  [](ofi::PartHeader& part, std::span<std::byte>) { part.origin = 1'000'000; }),
              HasSubstr("not a message of window 255"));
  EXPECT_THAT(
      failure_of_changed([](ofi::PartHeader& part, std::span<std::byte>) { part.window = 999; }),
      HasSubstr("window 999, which it does not have"));
}

TEST_P(OfiWindow, PutsArriveByEitherWayAndTooLongOnesEndTheRun) {
  for (const auto& [fits, frames] :
       std::vector<std::pair<bool, FrameWay>>{{true, FrameWay::messages},
                                              {true, FrameWay::writes},
                                              {false, FrameWay::messages},
                                              {false, FrameWay::writes}}) {
    OfiCase c{.provider = GetParam(), .transfer = TransferMode::automatic};
    c.frames = frames;
    const auto body = [&, fits = fits, frames = frames](Job& job, EmulatedMachine& machine) {
      Bytes memory(400'000 + 2 * 64, testing::kUntouched);
      Bytes array(fits ? 399'900 : 399'901, std::byte{5});
      std::deque<Window> windows;
      const Rank self = machine.ranks().front();
      windows.emplace_back(machine.node(self), std::span(memory).subspan(64, 400'000));
      try {
        machine.run([&](Node& node) { return put_to_the_last(node, &windows, &array); });
      } catch (...) {
        TOROID_CHECK_EQ(std::ranges::count(memory, testing::kUntouched), 400'128);
        throw;
      }
      TOROID_CHECK_EQ(std::ranges::count(memory, std::byte{5}), self == 1 ? 399'900 : 0);
      if (job.rank() != 0) return;
      const std::uint64_t packed = machine.counters().packed_bytes;
      if (frames == FrameWay::writes && ofi::Providers("").get(c.provider).least_read > 0)
        TOROID_CHECK_EQ(packed, 0u);
      else
        TOROID_CHECK(packed > 399'900);
    };
    const std::vector<std::string> outcomes = testing::outcomes_on_ofi(Shape::parse("2"), c, body);
    if (fits)
      EXPECT_EQ(outcomes, std::vector<std::string>(2));
    else
      for (const std::string& outcome : outcomes)
        EXPECT_THAT(outcome,
                    HasSubstr("goes beyond window 255, which has 400000 bytes: 399901 bytes at "
                              "offset 100"));
  }
}

}  // namespace
}  // namespace toroid
