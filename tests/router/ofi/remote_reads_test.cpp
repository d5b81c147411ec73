// Puts that the receiver reads from the sender's array, over a network in memory that is slow and
// changes the order of frames.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

#include "hal/shape.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/ofi/changed_part.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/stepped_exchange.hpp"
#include "tests/router/ofi/stepped_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;
using testing::SteppedExchange;
using testing::SteppedMachine;
using testing::SteppedOptions;

constexpr std::size_t kLeast = 600;  // shortest put that is read, in bytes of its full packets

NodeOptions by_whole_puts() {
  return {.seed = 5, .packets_per_visit = 1u << 20, .transfer = TransferMode::put};
}

SteppedOptions reading(unsigned processes, unsigned workers, std::uint64_t seed) {
  return {.processes = processes,
          .workers = workers,
          .network = {.seed = seed, .least_read = kLeast},
          .node = by_whole_puts()};
}

void expect_read(const char* text, std::uint64_t bytes, const SteppedOptions& options) {
  SCOPED_TRACE(fmt::format("{} bytes on {} over {} processes of {} workers, seed {}", bytes, text,
                           options.processes, options.workers, options.network.seed));
  const Shape shape = Shape::parse(text);
  SteppedMachine machine(shape, options);
  SteppedExchange exchange(machine, bytes);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  exchange.expect_complete();
  const std::uint64_t pairs = std::uint64_t{shape.size()} * (shape.size() - 1);
  const std::uint64_t between = testing::pairs_between(shape, options.processes);
  const bool is_long = (bytes + 239) / 240 * 240 >= kLeast;
  EXPECT_EQ(machine.put_bytes(), pairs * bytes);
  EXPECT_EQ(machine.packed_bytes(), is_long ? 0 : between * bytes);
  EXPECT_EQ(machine.network().reads(), is_long ? between : 0);
  EXPECT_EQ(machine.network().exposed(), 0u) << "memory that others can still read";
  EXPECT_EQ(machine.refused(), ofi::RefusedFrames{});
}

TEST(RemoteReads, DeliverEveryByteForAnyNumberOfWorkersAndProcesses) {
  const std::vector<std::pair<const char*, unsigned>> divided = {
      {"2", 2}, {"5", 2}, {"7m", 3}, {"4x2m", 4}, {"1x6x1", 5}, {"3x3", 9}};
  constexpr std::array<std::uint64_t, 3> kBytes = {480, 481, 40'001};
  for (const auto& row : testing::combinations({divided.size(), 3, kBytes.size()})) {
    const auto& [text, processes] = divided[row[0]];
    const auto workers = static_cast<unsigned>(1 + row[1]);
    expect_read(text, kBytes[row[2]], reading(processes, workers, kBytes[row[2]] + workers));
  }
}

TEST(RemoteReads, WorkWithSmallestBuffers) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    SteppedOptions options = reading(2, 3, seed);
    options.machine = testing::smallest_buffers();
    options.limits = {.frame_bytes = 512, .window = 1, .send_buffers = 1};
    expect_read("5", 30'011, options);
  }
}

/// A visit of few packets is a short put, too short to be read.
TEST(RemoteReads, AreNotUsedForShortVisits) {
  SteppedOptions options = reading(2, 1, 1);
  options.node.packets_per_visit = 2;
  SteppedMachine machine(Shape::parse("4"), options);
  SteppedExchange exchange(machine, 9000);
  ASSERT_NO_FATAL_FAILURE(exchange.run());
  exchange.expect_complete();
  EXPECT_EQ(machine.network().reads(), 0u);
}

std::string failure_of_offer(const std::function<void(ofi::PartHeader&, ofi::PartOffer&)>& change) {
  SteppedOptions options = reading(2, 1, 2);
  options.network = testing::with_changed_part([&](ofi::PartHeader& part, std::span<std::byte> at) {
    ofi::PartOffer offer;
    std::memcpy(&offer, at.data(), sizeof offer);
    change(part, offer);
    std::memcpy(at.data(), &offer, sizeof offer);
  });
  options.network.least_read = kLeast;
  SteppedMachine machine(Shape::parse("2"), options);
  SteppedExchange exchange(machine, 5000);
  return testing::failure_of([&] { exchange.run(); });
}

TEST(RemoteReads, UnexpectedOfferEndsRun) {
  using ofi::PartHeader;
  using ofi::PartOffer;
  EXPECT_THAT(failure_of_offer([](PartHeader& part, PartOffer&) { part.window = 999; }),
              HasSubstr("received a put for window 999, which it does not have"));
  for (const auto& change : std::vector<std::function<void(PartHeader&, PartOffer&)>>{
           [](PartHeader&part, PartOffer&) { part.first = 1'000'000; },
           [](PartHeader&part, PartOffer&) { part.packets += 1; },
           [](PartHeader&part, PartOffer&) { part.origin = 1'000'000; },
           [](PartHeader&part, PartOffer&) { part.origin = 2; }})
    EXPECT_THAT(failure_of_offer(change),
                HasSubstr("received an offer of the exchange that does not fit"));
  EXPECT_THAT(failure_of_offer([](PartHeader&, PartOffer& offer) { offer.bytes = 4999; }),
              HasSubstr("offers a put of 4999 bytes; expected 5000 bytes from byte 0 on"));
  EXPECT_THAT(failure_of_offer([](PartHeader&, PartOffer& offer) { offer.bytes = 5001; }),
              HasSubstr("offers a put of 5001 bytes; expected 5000"));
}

/// If the network refuses a read, the put is not completed, and the gateway reports an error of the
/// transport.
TEST(RemoteReads, WrongKeyIsATransportError) {
  SteppedOptions options = reading(2, 1, 2);
  options.network = testing::with_changed_part([](ofi::PartHeader&, std::span<std::byte> at) {
    ofi::PartOffer offer;
    std::memcpy(&offer, at.data(), sizeof offer);
    offer.key ^= 1;
    std::memcpy(at.data(), &offer, sizeof offer);
  });
  options.network.least_read = kLeast;
  SteppedMachine machine(Shape::parse("2"), options);
  SteppedExchange exchange(machine, 5000);
  exchange.start();
  machine.step(20'000);
  EXPECT_FALSE(machine.is_over());
  EXPECT_TRUE(machine.gateway(0).transport_error() || machine.gateway(1).transport_error());
}

/// Every node puts rows into the window of its right neighbour and waits for the acknowledgement.
Program put_right(Node& node, Window* window, const std::vector<std::byte>* rows, StridedBox there,
                  int* done) {
  const Rank right = (node.rank() + 1) % node.size();
  PendingPut put =
      window->put(right, there, *rows, StridedBox::stretch(0, rows->size()), Acknowledge::yes);
  co_await put.local();
  co_await put.remote();
  co_await window->arrived(rows->size());
  *done += 1;
}

TEST(RemoteReads, CarryRowsOfPutsIntoWindows) {
  constexpr std::size_t kRow = 700;
  constexpr std::size_t kRows = 9;
  constexpr std::size_t kPitch = 1000;
  SteppedMachine machine(Shape::parse("4"), reading(4, 1, 7));
  std::vector<std::vector<std::byte>> memory(4, std::vector<std::byte>(kPitch * kRows));
  std::vector<std::vector<std::byte>> rows;
  std::vector<std::unique_ptr<Window>> windows;
  for (Rank r = 0; r < 4; ++r) {
    rows.emplace_back(kRow * kRows);
    for (std::size_t i = 0; i < rows[r].size(); ++i) rows[r][i] = std::byte(r * 41 + i % 251);
    windows.push_back(std::make_unique<Window>(machine.node(r), memory[r]));
  }
  int done = 0;
  ASSERT_NO_FATAL_FAILURE(machine.run([&](Node& node) {
    const Rank r = node.rank();
    return put_right(node, windows[r].get(), &rows[r],
                     {.offset = 5, .count = kRows, .bytes = kRow, .stride = kPitch}, &done);
  }));
  EXPECT_EQ(done, 4);
  EXPECT_EQ(machine.network().reads(), 4 * kRows);
  EXPECT_EQ(machine.packed_bytes(), 0u);
  EXPECT_EQ(machine.network().exposed(), 0u);
  for (Rank r = 0; r < 4; ++r)
    for (std::size_t row = 0; row < kRows; ++row)
      EXPECT_TRUE(
          std::ranges::equal(std::span(rows[r]).subspan(row * kRow, kRow),
                             std::span(memory[(r + 1) % 4]).subspan(5 + row * kPitch, kRow)));
}

}  // namespace
}  // namespace toroid
