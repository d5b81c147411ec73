// Uses of windows, puts and gets that are refused, and uses that end a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window.hpp"
#include "packet/exchange/window_message.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/window_world.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::Bytes;
using testing::EmulatedMachine;
using ::testing::HasSubstr;
using testing::RingMachine;
using testing::SimMachine;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

TEST(StridedBox, LiesInMemoryIfItsLastStretchDoesAndNoneOverlap) {
  EXPECT_TRUE(StridedBox::stretch(0, 100).lies_in(100));
  EXPECT_TRUE(StridedBox::stretch(100, 0).lies_in(100));
  EXPECT_FALSE(StridedBox::stretch(101, 0).lies_in(100));
  EXPECT_FALSE(StridedBox::stretch(1, 100).lies_in(100));
  EXPECT_TRUE((StridedBox{.offset = 4, .count = 3, .bytes = 8, .stride = 40}).lies_in(92));
  EXPECT_FALSE((StridedBox{.offset = 4, .count = 3, .bytes = 8, .stride = 40}).lies_in(91));
  EXPECT_FALSE((StridedBox{.offset = 0, .count = 3, .bytes = 8, .stride = 7}).lies_in(100));
  EXPECT_FALSE((StridedBox{.offset = kHuge, .count = 2, .bytes = 8, .stride = 8}).lies_in(100));
  EXPECT_FALSE((StridedBox{.offset = 8, .count = kHuge, .bytes = 8, .stride = 8}).lies_in(kHuge));
  EXPECT_FALSE((StridedBox{.offset = 8, .count = 2, .bytes = 8, .stride = kHuge}).lies_in(kHuge));
}

TEST(WindowMessage, IsReadAsItWasWritten) {
  for (const StridedBox& box : {StridedBox::stretch(kHuge, 24), StridedBox::stretch(7, 0),
                                StridedBox{.offset = 5, .count = 3, .bytes = 8, .stride = kHuge}}) {
    Bytes packet(kPayloadBytes, std::byte{9});
    const WindowMessage written{.kind = WindowMessageKind::get,
                                .operation = 3'000'000'000,
                                .bytes = static_cast<std::uint32_t>(box.total()),
                                .at = static_cast<std::uint32_t>(box.total() / 3),
                                .box = box};
    const std::size_t label = written.write(written.at, packet);
    EXPECT_EQ(label, written.label_bytes());
    const std::uint32_t rest = written.bytes - written.at;
    WindowMessage read;
    std::span<const std::byte> data;
    ASSERT_TRUE(read.read(std::span(packet).first(label + rest), data));
    EXPECT_EQ(read.kind, written.kind);
    EXPECT_EQ(read.operation, written.operation);
    EXPECT_EQ(read.bytes, written.bytes);
    EXPECT_EQ(read.at, written.at);
    EXPECT_EQ(read.box.text(), box.text());
    EXPECT_EQ(data.size(), rest);
    EXPECT_FALSE(read.read(std::span(packet).first(label - 1), data));
    EXPECT_FALSE(read.read(std::span(packet).first(label + rest + 1), data));
  }
}

TEST(WindowMessage, ReadsOnlyConsistentLabelsFromAnyBytes) {
  Random random(5);
  unsigned good = 0;
  for (unsigned n = 0; n < 100'000; ++n) {
    Bytes packet(random.below(80));
    for (std::byte& b : packet) b = static_cast<std::byte>(random.below(4) / 2 * random.below(3));
    WindowMessage read;
    std::span<const std::byte> data;
    if (!read.read(packet, data)) continue;
    ++good;
    EXPECT_LE(read.at + data.size(), read.bytes);
    EXPECT_EQ(read.box.total(), read.bytes);
    EXPECT_LE(read.label_bytes() + data.size(), packet.size());
  }
  EXPECT_GT(good, 1000u);
}

/// Checks that a use of node 0's window, which has 100 bytes, is refused.
void expect_refused(const std::function<void(Window&)>& use, const char* words) {
  SimMachine sim(Shape::parse("2x2"));
  Bytes memory(100);
  Window window(sim.node(0), memory);
  EXPECT_THAT([&] { use(window); }, ::testing::ThrowsMessage<BadInput>(HasSubstr(words)));
}

TEST(Window, RefusesBadArgumentsAtTheCaller) {
  Bytes array(200);
  expect_refused([&](Window& w) { w.put(4, 0, array); }, "a put names node 4; expected 0 to 3");
  expect_refused([&](Window& w) { (void)w.get(9, 0, array); },
                 "a get names node 9; expected 0 to 3");
  expect_refused([&](Window& w) { w.put(0, 0, array); },
                 "200 bytes at offset 0 lies outside window");
  expect_refused([&](Window& w) { (void)w.get(0, 90, std::span(array).first(11)); },
                 "11 bytes at offset 90 lies outside window");
  expect_refused([&](Window& w) { w.put(1, kHuge, array); }, "lies outside window");
  expect_refused(
      [&](Window& w) {
        w.put(1, StridedBox::stretch(0, 8), array, {.count = 2, .bytes = 4, .stride = 200});
      },
      "2 x 4 bytes, 200 apart, at offset 0 lies outside its array of 200 bytes");
  expect_refused(
      [&](Window& w) {
        w.put(1, {.count = 4, .bytes = 2, .stride = 1}, array, StridedBox::stretch(0, 8));
      },
      "4 x 2 bytes, 1 apart");
  expect_refused(
      [&](Window& w) { w.put(1, StridedBox::stretch(0, 8), array, StridedBox::stretch(0, 9)); },
      "9 bytes of an array and 8 bytes of window");
  std::byte* const anywhere = array.data();
  expect_refused(
      [&](Window& w) {
        w.put(1, 0, {anywhere, std::size_t{1} << 32});
      },
      "expected less than 4 GiB");
}

TEST(Window, RefusesMemoryOfAnotherWindowOfTheNode) {
  SimMachine sim(Shape::parse("2"));
  Bytes memory(100);
  const std::span<std::byte> all = memory;
  Window first(sim.node(0), all.subspan(20, 40));
  for (const auto& [begin, bytes] : {std::pair{0u, 21u}, {59u, 1u}, {0u, 100u}, {30u, 5u}})
    EXPECT_THAT([&] { Window(sim.node(0), all.subspan(begin, bytes)); },
                ::testing::ThrowsMessage<BadInput>(HasSubstr("shares memory")));
  Window before(sim.node(0), all.first(20));
  Window behind(sim.node(0), all.subspan(60));
  Window none(sim.node(0), all.subspan(30, 0));
  Window none_either(sim.node(0), {});
  EXPECT_EQ(none_either.number() + 4, first.number());
}

TEST(WindowFailure, RemoteCompletionWithoutAcknowledgementIsRefused) {
  SimMachine sim(Shape::parse("2"));
  Bytes memory(100);
  Window window(sim.node(0), memory);
  const PendingPut put = window.put(0, 0, std::span(memory).first(0));
  EXPECT_THROW((void)put.remote(), BadInput);
}

/// The window of node 1 is the middle part of an array, so that writes beyond the window show.
struct GuardedWindows {
  explicit GuardedWindows(EmulatedMachine& machine) {
    windows.emplace_back(machine.node(0), array);
    windows.emplace_back(machine.node(1), std::span(guarded).subspan(1000, 1000));
  }
  Bytes array = Bytes(20'000, std::byte{1});
  Bytes guarded = Bytes(30'000, testing::kUntouched);
  std::deque<Window> windows;
};

using Use = void (*)(GuardedWindows&);

Program use_and_wait(Node& node, GuardedWindows* all, Use use) {
  if (node.rank() == 0) use(*all);
  co_await node.barrier();
  co_await all->windows[node.rank()].arrived(1);
}

void expect_failure(EmulatedMachine& machine, Use use, const char* words) {
  GuardedWindows all(machine);
  const std::string failure = testing::failure_of(
      [&] { machine.run([&](Node& node) { return use_and_wait(node, &all, use); }); });
  EXPECT_THAT(failure, HasSubstr("node (1): "));
  EXPECT_THAT(failure, HasSubstr(words));
  EXPECT_EQ(std::ranges::count(failure, '\n'), 0) << failure;
  EXPECT_EQ(std::ranges::count(all.guarded, testing::kUntouched), 30'000);
  EXPECT_EQ(std::ranges::count(all.array, std::byte{1}), 20'000);
}

void expect_failure_everywhere(Use use, const char* words) {
  for (const TransferMode transfer : {TransferMode::automatic, TransferMode::put})
    for (const RingRoute route : testing::kRoutes) {
      RingMachine rings(Shape::parse("2"), 2, {.transfer = transfer}, testing::routed(route));
      expect_failure(rings, use, words);
    }
  SimMachine sim(Shape::parse("2"));
  expect_failure(sim, use, words);
  Machine machine;
  machine.dma_descriptor_cycles = machine.dma_inject_cycles = machine.dma_receive_cycles = 10;
  SimMachine dma(Shape::parse("2"), {.transfer = TransferMode::put}, {.dma = true}, machine);
  expect_failure(dma, use, words);
}

TEST(Window, PutBeyondItsBoundsEndsTheRunAndWritesNothing) {
  expect_failure_everywhere(
      [](GuardedWindows& all) { all.windows[0].put(1, 0, all.array); },
      "a put by (0) goes beyond window 255, which has 1000 bytes: 20000 bytes at "
      "offset 0");
  expect_failure_everywhere(
      [](GuardedWindows& all) { all.windows[0].put(1, 999, std::span(all.array).first(2)); },
      "a put by (0) goes beyond window 255, which has 1000 bytes: 2 bytes at offset 999");
  expect_failure_everywhere(
      [](GuardedWindows& all) { all.windows[0].put(1, 1001, std::span(all.array).first(0)); },
      "0 bytes at offset 1001");
  expect_failure_everywhere(
      [](GuardedWindows& all) {
        all.windows[0].put(1, kHuge - 100, std::span(all.array).first(100));
      },
      "100 bytes at offset");
  expect_failure_everywhere(
      [](GuardedWindows& all) {
        all.windows[0].put(1, {.offset = 1, .count = 1000, .bytes = 8, .stride = 16}, all.array,
                           StridedBox::stretch(0, 8000));
      },
      "1000 x 8 bytes, 16 apart, at offset 1");
}

TEST(Window, GetBeyondItsBoundsEndsTheRunAndWritesNothing) {
  expect_failure_everywhere(
      [](GuardedWindows& all) { (void)all.windows[0].get(1, 1, std::span(all.array).first(1000)); },
      "a get by (0) goes beyond window 255, which has 1000 bytes: 1000 bytes at offset 1");
  expect_failure_everywhere(
      [](GuardedWindows& all) {
        (void)all.windows[0].get(1, {.count = 3, .bytes = 300, .stride = 400}, all.array,
                                 StridedBox::stretch(0, 900));
      },
      "3 x 300 bytes, 400 apart, at offset 0");
}

Program put_where_there_is_none(Node& node, Window* window, Bytes* array) {
  if (window != nullptr) window->put(1, 0, *array);
  co_await node.barrier();
}

TEST(Window, PutForANodeWithoutTheWindowEndsTheRun) {
  for (const std::size_t bytes : {10u, 10'000u})
    for (const RingRoute route : testing::kRoutes) {
      RingMachine rings(Shape::parse("2"), 2, {}, testing::routed(route));
      Bytes array(bytes);
      Window window(rings.node(0), {});
      const std::string failure = testing::failure_of([&] {
        rings.run([&](Node& node) {
          return put_where_there_is_none(node, node.rank() == 0 ? &window : nullptr, &array);
        });
      });
      EXPECT_THAT(failure, HasSubstr("node (1): "));
      EXPECT_THAT(failure, HasSubstr("255, which it does not have"));
    }
}

Program wait_in_vain(Node& node, GuardedWindows* all) {
  if (node.rank() == 0) all->windows[0].put(1, 0, std::span(all->array).first(900));
  if (node.rank() == 1) co_await all->windows[1].arrived(1000);
}

TEST(Window, ReportsBytesThatNeverCome) {
  SimMachine sim(Shape::parse("2"));
  GuardedWindows all(sim);
  EXPECT_THAT(
      testing::failure_of([&] { sim.run([&](Node& node) { return wait_in_vain(node, &all); }); }),
      HasSubstr("bytes put into its window at 900 of 1000"));
}

/// A node's window, with a part that each node puts to and a part that all nodes get, and the
/// arrays of its own puts and gets.
struct BusyNode {
  BusyNode(Node& node, std::size_t bytes)
      : memory(bytes * (node.size() + 1)), source(bytes), got(bytes), window(node, memory) {}
  Bytes memory;
  Bytes source;
  Bytes got;
  Window window;
};

/// All nodes put and get in an endless loop, until one of them fails.
Program go_on_until_one_fails(Node& node, std::deque<BusyNode>* all) {
  BusyNode& own = (*all)[node.rank()];
  const std::size_t bytes = own.source.size();
  for (unsigned round = 0;; ++round) {
    for (Rank to = 0; to < node.size(); ++to) {
      own.window.put(to, bytes * node.rank(), own.source, Acknowledge::yes);
      if (to + 1 == node.size()) (void)own.window.get(to, bytes * node.size(), own.got);
    }
    if (node.rank() == 1 && round == 20) throw std::domain_error("no more");
    co_await own.window.complete();
  }
}

TEST(Window, FailureOfAPeerAmongPutsAndGetsEndsTheRun) {
  for (const std::size_t bytes : {100u, 50'000u}) {
    const auto run = [&](EmulatedMachine& machine) {
      std::deque<BusyNode> all;
      for (Rank r = 0; r < machine.size(); ++r) all.emplace_back(machine.node(r), bytes);
      const std::string failure = testing::failure_of(
          [&] { machine.run([&](Node& node) { return go_on_until_one_fails(node, &all); }); });
      EXPECT_EQ(failure, "node (1): no more");
    };
    for (const RingRoute route : testing::kRoutes)
      for (const unsigned workers : {1u, 2u, 3u}) {
        RingMachine rings(Shape::parse("3"), workers, {}, testing::routed(route));
        run(rings);
      }
    SimMachine sim(Shape::parse("3"));
    run(sim);
  }
}

}  // namespace
}  // namespace toroid
