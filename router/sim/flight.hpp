// Packets under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

using FlightId = std::uint32_t;
inline constexpr FlightId kNoFlight = ~FlightId{0};

/// A packet, as routers see it. 16 bytes: four to a cache line.
struct Flight {
  Route route;                ///< that is left
  FlightId next = kNoFlight;  ///< the packet behind it in its FIFO
  std::uint8_t chunks = 0;
  bool dynamic : 1 = false;
  bool high_priority : 1 = false;
  std::uint8_t delivered_from : 6 = 0;  ///< the source, once it has been delivered
  std::uint8_t reception_fifo = 0;      ///< that it is in, likewise
  DimensionOrder order = 0;             ///< of dimensions, that it keeps to

  DirectionSet directions() const { return route.directions; }
  /// One hop in a direction that is still to go; the last one crosses it off.
  void advance(Direction direction) {
    const unsigned left = --route.hops[direction.dim()];
    route.directions = DirectionSet(static_cast<std::uint16_t>(
        route.directions.bits() & ~((left == 0 ? 1u : 0u) << direction.index)));
  }
};
static_assert(sizeof(Flight) == 16);

/// Payloads, by flight. A study of policies has none, or one word that relays need: so short and
/// long payloads have memory of their own, which is allocated only when there are such payloads.
class PayloadPool {
 public:
  /// Room for a payload of so many bytes. `flights`: the number of flights to have room for if it
  /// has to grow.
  std::span<std::byte> room(FlightId id, unsigned bytes, std::size_t flights) {
    return bytes <= kWord ? in(words_, id, bytes, flights) : in(full_, id, bytes, flights);
  }
  /// Keeps the first bytes of a packet's payload.
  void keep(FlightId id, unsigned bytes, std::span<const std::byte, kPayloadBytes> payload,
            std::size_t flights) {
    if (bytes == 0) return;
    if (bytes > kWord) {
      std::memcpy(room(id, bytes, flights).data(), payload.data(), bytes);
      return;
    }
    if (id >= words_.size()) make_room(words_, id, flights);
    std::memcpy(words_[id].data(), payload.data(), kWord);
  }
  /// Copies it into a packet; what stands behind the payload there means nothing.
  void copy_out(FlightId id, unsigned bytes, std::span<std::byte, kPayloadBytes> payload) const {
    if (bytes == 0) return;
    if (bytes > kWord)
      std::memcpy(payload.data(), full_[id].data(), bytes);
    else
      std::memcpy(payload.data(), words_[id].data(), kWord);
  }
  /// Of short payloads only: long ones cost their copying anyway.
  [[gnu::always_inline]] void prefetch(FlightId id) const {
    if (!words_.empty()) __builtin_prefetch(words_.data() + id);
  }
  std::span<const std::byte> operator()(FlightId id, unsigned bytes) const {
    if (bytes == 0) return {};
    if (bytes <= kWord) return std::span(words_[id]).first(bytes);
    return std::span(full_[id]).first(bytes);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(words_, full_);
  }

 private:
  static constexpr unsigned kWord = 8;
  /// Touches no memory before a flight has it: most hosts give it out then.
  template <typename T>
  [[gnu::noinline]] static void make_room(std::vector<T>& pool, FlightId id, std::size_t flights) {
    pool.reserve(flights);
    pool.resize(std::size_t{id} + 1);
  }
  template <std::size_t most>
  static std::span<std::byte> in(std::vector<std::array<std::byte, most>>& pool, FlightId id,
                                 unsigned bytes, std::size_t flights) {
    if (bytes > 0 && id >= pool.size()) make_room(pool, id, flights);
    return bytes > 0 ? std::span(pool[id]).first(bytes) : std::span<std::byte>();
  }

  std::vector<std::array<std::byte, kWord>> words_;         ///< empty while no payload is so short
  std::vector<std::array<std::byte, kPayloadBytes>> full_;  ///< empty while no payload is longer
};

/// A packet's identity, for probes.
struct FlightTag {
  std::uint64_t serial = 0;
  Rank source = 0;
};

/// Memory of all packets under way; grows with their number and never with the square of the nodes.
class FlightPool {
 public:
  /// The packet with this number of a descriptor.
  FlightId add(const SendDescriptor& descriptor, std::uint32_t number, const Route& route);
  /// A packet that was in another block's pool. `payload` is as long as its header says.
  FlightId add(const Flight& flight, const PacketHeader& header,
               std::span<const std::byte> payload);
  void remove(FlightId id);
  /// Copies header and payload out.
  void copy_out(FlightId id, Packet& packet) const;

  Flight& operator[](FlightId id) { return slots_[id].flight; }
  const Flight& operator[](FlightId id) const { return slots_[id].flight; }
  const PacketHeader& header(FlightId id) const { return slots_[id].header; }
  std::span<const std::byte> payload(FlightId id) const {
    return payloads_(id, header(id).payload_bytes());
  }
  /// Kept only where probes ask for them.
  void set_tag(FlightId id, const FlightTag& tag) {
    if (id >= tags_.size()) tags_.resize(slots_.capacity());
    tags_[id] = tag;
  }
  const FlightTag& tag(FlightId id) const { return tags_[id]; }
  std::size_t alive() const { return alive_; }
  /// There are to be at most 2^bits packets at once: fewer than an Event has room for.
  void limit(unsigned bits) { most_bits_ = bits; }
  /// Fetches early what copy_out() and remove() touch. Any id is allowed.
  [[gnu::always_inline]] void prefetch(FlightId id) const {
    __builtin_prefetch(slots_.data() + id);
    payloads_.prefetch(id);
  }

  /// REQUIRES: there are no tags.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(alive_, free_, slots_, payloads_);
  }

 private:
  /// Two to a cache line: what has to do with an end of a packet's way touches both.
  struct alignas(32) Slot {
    Flight flight;
    PacketHeader header{0, 0};
  };

  FlightId allocate() {
    ++alive_;
    if (free_ == kNoFlight) [[unlikely]]
      return grow();
    const FlightId id = free_;
    free_ = slots_[id].flight.next;
    return id;
  }
  [[gnu::noinline]] FlightId grow();

  std::size_t alive_ = 0;
  unsigned most_bits_ = Event::kValueBits;
  FlightId free_ = kNoFlight;  ///< list through Flight::next
  std::vector<Slot> slots_;
  std::vector<FlightTag> tags_;  ///< empty without probes
  PayloadPool payloads_;
};

inline FlightId FlightPool::add(const SendDescriptor& descriptor, std::uint32_t number,
                                const Route& route) {
  const FlightId id = allocate();
  const PacketHeader& header = descriptor.header;
  Slot& slot = slots_[id];
  slot.flight = {.route = route,
                 .next = kNoFlight,
                 .chunks = static_cast<std::uint8_t>(header.chunks()),
                 .dynamic = header.dynamic(),
                 .high_priority = header.channel() == VirtualChannel::priority,
                 .order = header.order()};
  TOROID_CHECK(descriptor.source != nullptr || header.payload_bytes() == 0);
  if (descriptor.source == nullptr) {
    slot.header = header;
    return id;
  }
  std::array<std::byte, kPayloadBytes> payload;
  slot.header = header.with_argument(descriptor.source->gather(descriptor, number, payload));
  payloads_.keep(id, header.payload_bytes(), payload, slots_.capacity());
  return id;
}

inline void FlightPool::remove(FlightId id) {
  slots_[id].flight.next = free_;
  free_ = id;
  --alive_;
}

inline void FlightPool::copy_out(FlightId id, Packet& packet) const {
  packet.header = slots_[id].header;
  payloads_.copy_out(id, packet.header.payload_bytes(), packet.payload);
}

}  // namespace toroid::sim
