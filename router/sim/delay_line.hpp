// Events that all happen the same number of cycles after they were scheduled: a ring in which they
// stand in order of time without sorting.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

class DelayLine {
 public:
  explicit DelayLine(Tick delay) : delay_(delay), ring_(kInitial), mask_(kInitial - 1) {}

  Tick delay() const { return delay_; }
  bool empty() const { return head_ == tail_; }
  /// The cycle of the next event; kNever where there is none.
  Tick next() const { return ring_[head_ & mask_].at; }

  void push(Tick now, Event event) {
    ring_[tail_ & mask_] = {now + delay_, event};
    ring_[++tail_ & mask_].at = kNever;
    if (tail_ - head_ == mask_) grow();
  }
  Event pop() { return ring_[head_++ & mask_].event; }
  /// The event that stands `ahead` places behind the next one, so that its data can be fetched
  /// early. Any event, long gone perhaps, where the line is shorter.
  Event peek(std::size_t ahead) const { return ring_[(head_ + ahead) & mask_].event; }

 private:
  struct Entry {
    Tick at = kNever;
    Event event{EventKind::turn, 0, 0};
  };
  static constexpr std::size_t kInitial = 64;  ///< a power of two, as every later size
  void grow() {
    std::vector<Entry> larger(2 * ring_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::size_t i = head_; i != tail_; ++i) larger[i & mask] = ring_[i & mask_];
    ring_ = std::move(larger);
    mask_ = mask;
  }

  Tick delay_;
  std::vector<Entry> ring_;  ///< the entry behind the last one says kNever
  std::size_t mask_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace toroid::sim
