// A single-producer single-consumer ring: slots are filled and emptied in place. Each side's index
// has its own cache line and is published after every kPublish packets and whenever the side must
// wait; each side keeps a copy of the other's index.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace baseline {

template <class T, std::uint64_t kSlots, std::uint64_t kPublish>
class OwnRing {
 public:
  // Calls fill(i, slot) for i = 0 .. count-1.
  template <class Fill>
  void produce(std::uint64_t count, Fill fill) {
    std::uint64_t freed = 0;  // the consumer's count as last read
    for (std::uint64_t i = 0, slot = 0; i < count; ++i) {
      if (i - freed == kSlots) freed = wait(filled_, i, freed_, i - kSlots);
      fill(i, slots_[slot]);
      if (++slot == kSlots) slot = 0;
      if ((i + 1) % kPublish == 0) filled_.count.store(i + 1, std::memory_order_release);
    }
    filled_.count.store(count, std::memory_order_release);
  }

  // Calls take(i, slot) for i = 0 .. count-1.
  template <class Take>
  void consume(std::uint64_t count, Take take) {
    std::uint64_t filled = 0;  // the producer's count as last read
    for (std::uint64_t i = 0, slot = 0; i < count; ++i) {
      if (i == filled) filled = wait(freed_, i, filled_, i);
      take(i, slots_[slot]);
      if (++slot == kSlots) slot = 0;
      if ((i + 1) % kPublish == 0) freed_.count.store(i + 1, std::memory_order_release);
    }
    freed_.count.store(count, std::memory_order_release);
  }

 private:
  struct alignas(128) Index {
    std::atomic<std::uint64_t> count{0};
  };

  // Publishes this side's count, then waits until the other side's exceeds `known`.
  static std::uint64_t wait(Index& mine, std::uint64_t count, const Index& other,
                            std::uint64_t known) {
    mine.count.store(count, std::memory_order_release);
    std::uint64_t seen;
    while ((seen = other.count.load(std::memory_order_acquire)) == known) {
    }
    return seen;
  }

  Index filled_, freed_;
  std::unique_ptr<T[]> slots_ = std::make_unique<T[]>(kSlots);
};

}  // namespace baseline
