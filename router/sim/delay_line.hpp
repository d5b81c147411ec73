// Events that all happen the same number of cycles after they were scheduled: a ring in which they
// stand in order of time without sorting.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

class DelayLine {
 public:
  explicit DelayLine(Tick delay) : delay_(delay), ring_(kInitial) {}

  Tick delay() const { return delay_; }
  bool empty() const { return head_ == tail_; }
  /// The cycle of the next event. REQUIRES: not empty.
  Tick next() const { return ring_[head_ & mask()].at; }

  void push(Tick now, Event event) {
    if (tail_ - head_ == ring_.size()) grow();
    ring_[tail_++ & mask()] = {now + delay_, event};
  }
  Event pop() { return ring_[head_++ & mask()].event; }
  /// The event that stands `ahead` places behind the next one, so that its data can be fetched
  /// early. Any event, long gone perhaps, where the line is shorter.
  Event peek(std::size_t ahead) const { return ring_[(head_ + ahead) & mask()].event; }

 private:
  struct Entry {
    Tick at = 0;
    Event event{EventKind::turn, 0, 0};
  };
  static constexpr std::size_t kInitial = 64;  ///< a power of two, as every later size
  std::size_t mask() const { return ring_.size() - 1; }
  void grow() {
    std::vector<Entry> larger(2 * ring_.size());
    for (std::size_t i = head_; i != tail_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & mask()];
    ring_ = std::move(larger);
  }

  Tick delay_;
  std::vector<Entry> ring_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace toroid::sim
