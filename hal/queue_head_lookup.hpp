// An index of the heads of many output queues, by packet length and possible direction. With it, a
// drain finds the next head for which an injection FIFO has room, and skips empty and stuck queues.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hal/direction.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/packet.hpp"

namespace toroid {

/// A set of numbers below a limit: a bit for each, and a summary with a bit for each word of bits.
class NumberSet {
 public:
  /// All numbers below `limit` may be inserted. Takes no memory before the first insertion.
  explicit NumberSet(unsigned limit = 0) : limit_(limit) {}

  void insert(unsigned i) {
    if (words_.empty()) reserve();
    words_[i / 64] |= bit(i);
    summary_[i / 4096] |= bit(i / 64);
    ++size_;
  }
  void erase(unsigned i) {
    words_[i / 64] &= ~bit(i);
    if (words_[i / 64] == 0) summary_[i / 4096] &= ~bit(i / 64);
    --size_;
  }
  unsigned size() const { return size_; }
  /// The smallest member that is at least `from`.
  std::optional<unsigned> at_or_after(unsigned from) const;

 private:
  static constexpr std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i % 64; }
  void reserve();

  unsigned limit_;
  unsigned size_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  ///< bit w is set if words_[w] has members
};

/// The properties of a queue's head that FIG. 10 uses: its possible directions and its length.
struct Head {
  DirectionSet hints;   ///< empty if the queue is empty
  unsigned chunks = 0;  ///< 1..8
  bool operator==(const Head&) const = default;
};

/// An index of the heads of queues. Each head is listed under all of its possible directions.
class QueueHeadLookup {
 public:
  explicit QueueHeadLookup(unsigned queues) : queues_(queues) {}

  /// Notes that the queue's head changes from `before` to `after`.
  void replace(unsigned queue, Head before, Head after) {
    if (before != after) replace_other(queue, before, after);
  }

  /// [chunks - 1]: the directions in which a packet of this many chunks finds room.
  using OpenDirections = std::array<DirectionSet, kMaxChunks>;
  /// The first queue whose head finds room, searched from `from` to the last queue and then from
  /// queue 0.
  std::optional<unsigned> first_open(unsigned from, const OpenDirections& open) const;
  /// Whether there has been a head of this many chunks.
  bool has_length(unsigned chunks) const { return lengths_[chunks - 1] != nullptr; }
  /// Adds to `counts`, for each direction, the number of queues whose head could go in it.
  void add_to(DirectionCounts& counts) const;

 private:
  using ByDirection = std::array<NumberSet, kMaxLinks + 1>;  ///< the last is kHighPriority
  void replace_other(unsigned queue, Head before, Head after);
  NumberSet& heads_like(unsigned chunks, Direction direction);
  std::optional<unsigned> first_open_up(unsigned from, const OpenDirections& open) const;

  unsigned queues_;
  std::array<std::unique_ptr<ByDirection>, kMaxChunks> lengths_;  ///< [chunks - 1]; most are null
};

}  // namespace toroid
