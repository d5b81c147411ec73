// Memory of all packets in flight in all blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>

#include "hal/packet.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/segmented_array.hpp"

namespace toroid::sim {

/// A packet stays at one place in memory; blocks pass on only its number. Only the holder of a
/// packet's number may access the packet. Free numbers are handed out in batches; returned numbers
/// are linked through the memory of their former packets. Memory grows with the number of packets,
/// never with the square of the number of nodes. The fabric owns it.
///
/// In a study of policies packets have no payload, or one word for relays. So short and long
/// payloads have separate memory, which is allocated only if such payloads exist.
class FlightMemory {
 public:
  static constexpr std::size_t kBatch = 1024;  ///< numbers handed out or returned at once

  /// A packet's flight and header lie together, because both are used at either end of its route. A
  /// cache line holds two slots.
  struct alignas(32) Slot {
    Flight flight;
    PacketHeader header;
  };

  Slot& operator[](FlightId id) { return slots_[id]; }
  const Slot& operator[](FlightId id) const { return slots_[id]; }

  /// Stores the first `bytes` bytes of `payload`, which are the packet's payload.
  void keep(FlightId id, unsigned bytes, std::span<const std::byte, kPayloadBytes> payload) {
    if (bytes == 0) return;
    if (bytes <= kWord)
      std::memcpy(words_.room(id).data(), payload.data(), kWord);
    else
      std::memcpy(full_.room(id).data(), payload.data(), bytes);
  }
  /// Copies the payload into a packet; bytes beyond the payload are undefined.
  void copy_out(FlightId id, unsigned bytes, std::span<std::byte, kPayloadBytes> payload) const {
    if (bytes == 0) return;
    if (bytes <= kWord)
      std::memcpy(payload.data(), words_[id].data(), kWord);
    else
      std::memcpy(payload.data(), full_[id].data(), bytes);
  }
  /// Prefetches the data used at an end of a packet's route, except a long payload, because copying
  /// it takes most of the time anyway. Any number below 2^30 is allowed.
  [[gnu::always_inline]] void prefetch(FlightId id) const {
    if (const Slot* const slot = slots_.find(id)) __builtin_prefetch(slot);
    if (const auto* const word = words_.find(id)) __builtin_prefetch(word);
  }

  /// Tags are kept only for runs that ask for them.
  void tag(FlightId id, const FlightTag& tag) { tags_.room(id) = tag; }
  const FlightTag& tag(FlightId id) const { return tags_[id]; }

  /// Limits the packets in flight to 2^bits, or to an earlier, smaller limit.
  void limit(unsigned bits);
  // Callable by any thread.
  /// Fills `batch` with free numbers. Throws RunFailed if there are not enough.
  void take(std::span<FlightId, kBatch> batch);
  void give_back(std::span<const FlightId, kBatch> batch);

  /// Returns all memory to the host. REQUIRES: there are no packets, no other thread calls
  /// anything, and numbers taken before are not used any more.
  void clear();
  /// REQUIRES: no other thread calls anything.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(handed_out_, free_);
    slots_.serialize(archive, handed_out_);
    words_.serialize(archive, handed_out_);
    full_.serialize(archive, handed_out_);
  }

 private:
  static constexpr unsigned kWord = 8;  ///< the largest short payload, in bytes
  static_assert(SegmentedArray<Slot>::kNumberBits == Event::kValueBits);

  SegmentedArray<Slot> slots_;
  SegmentedArray<std::array<std::byte, kWord>> words_;
  SegmentedArray<std::array<std::byte, kPayloadBytes>> full_;
  SegmentedArray<FlightTag> tags_;
  unsigned most_bits_ = Event::kValueBits;
  std::mutex mutex_;           ///< guards the members below
  FlightId handed_out_ = 0;    ///< all smaller numbers have been handed out
  FlightId free_ = kNoFlight;  ///< the number returned last; Flight::next in its slot is the number
                               ///< returned before it
};

}  // namespace toroid::sim
