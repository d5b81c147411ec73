// The packets that one block creates and removes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_memory.hpp"

namespace toroid::sim {

/// Keeps a stock of free numbers, so that blocks seldom compete for the store. A block's network
/// owns it; one thread at a time calls it.
class FlightPool {
 public:
  /// `store` outlives it.
  explicit FlightPool(FlightMemory& store) : store_(store), free_(kMostFree) {}
  FlightPool(const FlightPool&) = delete;

  /// Adds packet `number` of a descriptor. `is_engines`: the packet belongs to a DMA engine.
  FlightId add(const SendDescriptor& descriptor, std::uint32_t number, const Route& route,
               bool is_engines = false);
  /// Removes a packet, which may have come from another block.
  void remove(FlightId id) {
    free_[free_count_++] = id;
    --alive_;
    if (free_count_ == kMostFree) [[unlikely]]
      give_back();
  }
  /// Copies out header and payload.
  void copy_out(FlightId id, Packet& packet) const {
    packet.header = store_[id].header;
    store_.copy_out(id, packet.header.payload_bytes(), packet.payload);
  }

  Flight& operator[](FlightId id) { return store_[id].flight; }
  const Flight& operator[](FlightId id) const { return store_[id].flight; }
  const PacketHeader& header(FlightId id) const { return store_[id].header; }
  void set_tag(FlightId id, const FlightTag& tag) { store_.tag(id, tag); }
  const FlightTag& tag(FlightId id) const { return store_.tag(id); }
  /// Packets added minus packets removed, modulo 2^64. The sum over all blocks' pools is the number
  /// of packets in flight.
  std::uint64_t alive() const { return alive_; }
  /// Limits the packets in flight to 2^bits.
  void limit(unsigned bits) { store_.limit(bits); }
  /// Prefetches the data that copy_out() and remove() use. `id` may be any number that fits in an
  /// Event's value.
  [[gnu::always_inline]] void prefetch(FlightId id) const { store_.prefetch(id); }

  /// Saves or loads everything except the packets. REQUIRES: there are no tags.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(alive_, free_, free_count_);
  }

 private:
  static constexpr std::size_t kBatch = FlightMemory::kBatch;
  static constexpr std::size_t kMostFree =
      3 * kBatch;  ///< large enough that the stock is far from empty after a batch is given back

  FlightId allocate() {
    if (free_count_ == 0) [[unlikely]]
      take();
    ++alive_;
    return free_[--free_count_];
  }
  [[gnu::noinline]] void take() {
    store_.take(std::span(free_).first<kBatch>());
    free_count_ = kBatch;
  }
  [[gnu::noinline]] void give_back() {
    free_count_ -= kBatch;
    store_.give_back(std::span(free_).last<kBatch>());
  }

  FlightMemory& store_;
  std::uint64_t alive_ = 0;
  std::vector<FlightId> free_;  ///< the first free_count_ elements are free numbers
  std::size_t free_count_ = 0;
};

inline FlightId FlightPool::add(const SendDescriptor& descriptor, std::uint32_t number,
                                const Route& route, bool is_engines) {
  const FlightId id = allocate();
  const PacketHeader& header = descriptor.header;
  FlightMemory::Slot& slot = store_[id];
  slot.flight = {.route = route,
                 .next = kNoFlight,
                 .chunks = static_cast<std::uint8_t>(header.chunks()),
                 .dynamic = header.dynamic(),
                 .high_priority = header.channel() == VirtualChannel::priority,
                 .is_engines = is_engines,
                 .order = header.order()};
  TOROID_CHECK(descriptor.source != nullptr || header.payload_bytes() == 0);
  if (descriptor.source == nullptr) {
    slot.header = header;
    return id;
  }
  std::array<std::byte, kPayloadBytes> payload;
  slot.header = header.with_argument(descriptor.source->gather(descriptor, number, payload));
  store_.keep(id, header.payload_bytes(), payload);
  return id;
}

}  // namespace toroid::sim
