// The path of packed parts from a worker to the gateway, which another worker serves.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/threads/atomics.hpp"

namespace toroid::ofi {

/// A ring of a few slots, each for one part, with one sender and one receiver. A part is packed
/// into a slot and copied from there into a frame.
class PackedPutRing {
 public:
  /// A part that waits for the gateway.
  struct Slot {
    Rank to;
    PartHeader header;
    std::span<std::byte> bytes;
  };

  /// `packets`: maximum number of packets in a part.
  explicit PackedPutRing(std::uint32_t packets)
      : packets_(packets), memory_(kSlots * std::size_t{packets} * kPayloadBytes) {
    for (std::size_t i = 0; i < kSlots; ++i)
      slots_[i].bytes = std::span(memory_).subspan(i * packets * kPayloadBytes,
                                                   std::size_t{packets} * kPayloadBytes);
  }

  // The sender's end.
  /// Maximum number of packets in the next part; 0 if all slots are in use.
  std::uint32_t room() const {
    // Acquire: the slot may be overwritten. Partner: the release in pop().
    const std::uint32_t popped = popped_.load(std::memory_order_acquire);
    return committed_.load(std::memory_order_relaxed) - popped < kSlots ? packets_ : 0;
  }
  /// The place of the next part's bytes. REQUIRES: room() > 0.
  std::span<std::byte> claim() { return slot(committed_).bytes; }
  void commit(Rank to, const PartHeader& header) {
    slot(committed_).to = to;
    slot(committed_).header = header;
    // Release: the slot is written. Partner: the acquire in front().
    committed_.store(committed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // The receiver's end.
  /// The next part; null if none has arrived.
  const Slot* front() {
    // Acquire: the slot may be read. Partner: the release in commit().
    const std::uint32_t committed = committed_.load(std::memory_order_acquire);
    return committed == popped_.load(std::memory_order_relaxed) ? nullptr : &slot(popped_);
  }
  void pop() {
    // Release: the slot has been read. Partner: the acquire in room().
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kSlots = 4;
  Slot& slot(const sync::atomic<std::uint32_t>& count) {
    return slots_[count.load(std::memory_order_relaxed) % kSlots];
  }

  std::uint32_t packets_;
  std::vector<std::byte> memory_;
  std::array<Slot, kSlots> slots_{};
  alignas(64) sync::atomic<std::uint32_t> committed_{0};  ///< parts committed, modulo 2^32
  alignas(64) sync::atomic<std::uint32_t> popped_{0};     ///< parts popped, modulo 2^32
};

}  // namespace toroid::ofi
