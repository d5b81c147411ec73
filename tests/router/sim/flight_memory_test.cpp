// Packets that move between blocks keep their contents, and the numbers and memory of removed
// packets are used again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/flight_pool.hpp"
#include "tests/hal/memory_archive.hpp"

namespace toroid::sim {
namespace {

/// Every byte of a payload is the low byte of the packet's number.
class NumberedPayloads final : public PayloadSource {
 public:
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override {
    std::memset(payload.data(), static_cast<int>(number & 0xffu),
                descriptor.header.payload_bytes());
    return number;
  }
};

/// A block that creates packets and removes packets of any block.
class FlightBlock {
 public:
  explicit FlightBlock(FlightMemory& store) : pool_(store) {}

  FlightId make(std::uint32_t number, unsigned bytes) {
    const PacketHeader header({.hints = {}, .chunks = chunks_for(bytes), .payload_bytes = bytes});
    const SendDescriptor descriptor{.header = header, .source = &payloads_, .cookie = 0};
    return pool_.add(descriptor, number, Route{});
  }
  void expect(FlightId id, std::uint32_t number, unsigned bytes) const {
    Packet packet;
    pool_.copy_out(id, packet);
    ASSERT_EQ(packet.header.argument(), number);
    ASSERT_EQ(packet.header.payload_bytes(), bytes);
    for (unsigned i = 0; i < bytes; ++i)
      ASSERT_EQ(packet.payload[i], static_cast<std::byte>(number)) << i;
  }
  FlightPool& pool() { return pool_; }

 private:
  static unsigned chunks_for(unsigned bytes) { return (16 + bytes + 31) / 32; }
  FlightPool pool_;
  NumberedPayloads payloads_;
};

TEST(FlightMemory, HandsOutEveryNumberOnceUntilReturned) {
  FlightMemory store;
  std::set<FlightId> seen;
  std::array<FlightId, FlightMemory::kBatch> batch;
  for (unsigned i = 0; i < 100; ++i) {
    store.take(batch);
    for (const FlightId id : batch) ASSERT_TRUE(seen.insert(id).second) << id;
  }
  store.give_back(batch);
  std::array<FlightId, FlightMemory::kBatch> again;
  store.take(again);
  EXPECT_EQ(std::set(batch.begin(), batch.end()), std::set(again.begin(), again.end()));
}

TEST(FlightMemory, HandsOutTheLastReturnedBatchFirst) {
  FlightMemory store;
  using Batch = std::array<FlightId, FlightMemory::kBatch>;
  std::array<Batch, 3> batches;
  for (Batch& batch : batches) store.take(batch);
  for (const Batch& batch : batches) store.give_back(batch);
  Batch again;
  for (std::size_t i = batches.size(); i-- > 0;) {
    store.take(again);
    EXPECT_EQ(again, batches[i]);
  }
  store.take(again);
  EXPECT_EQ(*std::ranges::min_element(again), batches.size() * FlightMemory::kBatch);
}

TEST(FlightMemory, RemembersReturnedNumbersAfterLoading) {
  FlightMemory store;
  std::array<FlightId, FlightMemory::kBatch> first, second, again;
  store.take(first);
  store.take(second);
  store.give_back(first);
  testing::SavedState saved;
  saved(store);
  testing::LoadedState state(saved.content());
  FlightMemory loaded;
  state(loaded);
  loaded.take(again);
  EXPECT_EQ(again, first);
  loaded.take(again);
  EXPECT_EQ(*std::ranges::min_element(again), 2 * FlightMemory::kBatch);
}

TEST(FlightMemory, FreesItsMemory) {
  FlightMemory store;
  FlightBlock block(store);
  const FlightId id = block.make(1, kPayloadBytes);
  block.pool().remove(id);
  store.clear();
  store.prefetch(id);  // allowed although the packet no longer exists
  FlightBlock later(store);
  const FlightId again = later.make(2, kPayloadBytes);
  EXPECT_EQ(again, 0u);
  later.expect(again, 2, kPayloadBytes);
}

TEST(FlightMemory, RefusesMorePacketsThanItsLimit) {
  FlightMemory store;
  store.limit(12);
  store.limit(20);  // the smaller limit counts
  FlightBlock block(store);
  for (unsigned i = 0; i < 4096; ++i) block.make(i, 0);
  EXPECT_THROW(block.make(4096, 0), RunFailed);
}

TEST(FlightMemory, PacketsKeepHeaderAndPayloadOfEveryLengthAcrossSegments) {
  FlightMemory store;
  FlightBlock block(store);
  const unsigned count = 70'000;  // more than a segment
  std::vector<FlightId> ids;
  for (unsigned i = 0; i < count; ++i) ids.push_back(block.make(i, i % (kPayloadBytes + 1)));
  for (unsigned i = 0; i < count; ++i) block.expect(ids[i], i, i % (kPayloadBytes + 1));
  EXPECT_EQ(block.pool().alive(), count);
}

TEST(FlightMemory, MemoryDoesNotGrowIfOneBlockSendsAndAnotherReceives) {
  FlightMemory store;
  FlightBlock sends(store);
  FlightBlock receives(store);
  FlightId highest = 0;
  for (unsigned i = 0; i < 200'000; ++i) {
    const FlightId id = sends.make(i, 8);
    highest = std::max(highest, id);
    receives.expect(id, i, 8);
    receives.pool().remove(id);
  }
  EXPECT_LT(highest, 5 * FlightMemory::kBatch);
  EXPECT_EQ(sends.pool().alive() + receives.pool().alive(), 0u);
}

TEST(FlightMemory, BlocksOnTwoThreadsNeverShareAPacket) {
  FlightMemory store;
  const auto work = [&store](std::uint32_t seed) {
    FlightBlock block(store);
    std::vector<FlightId> ids;
    for (std::uint32_t round = 0; round < 20; ++round) {
      ids.clear();
      for (std::uint32_t i = 0; i < 5000; ++i) ids.push_back(block.make(seed + i, i % 2 * 240));
      for (std::uint32_t i = 0; i < 5000; ++i) block.expect(ids[i], seed + i, i % 2 * 240);
      for (const FlightId id : ids) block.pool().remove(id);
    }
  };
  std::jthread other(work, 1'000'000);
  work(0);
}

}  // namespace
}  // namespace toroid::sim
