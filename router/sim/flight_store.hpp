// Memory of all packets under way in all blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>

#include "hal/packet.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/segments.hpp"

namespace toroid::sim {

/// A packet stays where it is from end to end; blocks hand each other its number. Who has a
/// packet's number may touch the packet. Numbers that no packet has are handed out in batches;
/// those that came back are linked in the memory of the packets that had them. Memory grows with
/// the number of packets and never with the square of the nodes. The fabric owns it.
///
/// A study of policies has no payloads, or one word that relays need: so short and long payloads
/// have memory of their own, which is taken only when there are such payloads.
class FlightStore {
 public:
  static constexpr std::size_t kBatch = 1024;  ///< numbers that change hands at once

  /// Two to a cache line: an end of a packet's way touches both parts.
  struct alignas(32) Slot {
    Flight flight;
    PacketHeader header;
  };

  Slot& operator[](FlightId id) { return slots_[id]; }
  const Slot& operator[](FlightId id) const { return slots_[id]; }

  /// Keeps the first bytes of a packet's payload.
  void keep(FlightId id, unsigned bytes, std::span<const std::byte, kPayloadBytes> payload) {
    if (bytes == 0) return;
    if (bytes <= kWord)
      std::memcpy(words_.room(id).data(), payload.data(), kWord);
    else
      std::memcpy(full_.room(id).data(), payload.data(), bytes);
  }
  /// Copies it into a packet; what stands behind the payload there means nothing.
  void copy_out(FlightId id, unsigned bytes, std::span<std::byte, kPayloadBytes> payload) const {
    if (bytes == 0) return;
    if (bytes <= kWord)
      std::memcpy(payload.data(), words_[id].data(), kWord);
    else
      std::memcpy(payload.data(), full_[id].data(), bytes);
  }
  /// Fetches early what an end of a packet's way touches; a long payload costs its copying anyway.
  /// Any number below 2^30 is allowed.
  [[gnu::always_inline]] void prefetch(FlightId id) const {
    if (const Slot* const slot = slots_.find(id)) __builtin_prefetch(slot);
    if (const auto* const word = words_.find(id)) __builtin_prefetch(word);
  }

  /// Kept only where somebody asks for them.
  void tag(FlightId id, const FlightTag& tag) { tags_.room(id) = tag; }
  const FlightTag& tag(FlightId id) const { return tags_[id]; }

  /// At most 2^bits packets may be under way at once, or fewer if that has been said before.
  void limit(unsigned bits);
  // For any thread.
  /// Writes numbers that no packet has. Throws RunFailed if there are no more.
  void take(std::span<FlightId, kBatch> batch);
  void give_back(std::span<const FlightId, kBatch> batch);

  /// Gives all memory back to the host. REQUIRES: there are no packets, and no other thread calls
  /// anything; numbers that were taken are not used any more.
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
  static constexpr unsigned kWord = 8;  ///< bytes of the longest short payload
  static_assert(Segments<Slot>::kNumberBits == Event::kValueBits);

  Segments<Slot> slots_;
  Segments<std::array<std::byte, kWord>> words_;
  Segments<std::array<std::byte, kPayloadBytes>> full_;
  Segments<FlightTag> tags_;
  unsigned most_bits_ = Event::kValueBits;
  std::mutex mutex_;           ///< guards what follows
  FlightId handed_out_ = 0;    ///< smaller numbers have been handed out
  FlightId free_ = kNoFlight;  ///< that of them that came back last; Flight::next is the one before
};

}  // namespace toroid::sim
