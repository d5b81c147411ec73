// Events that all happen the same number of cycles after they were scheduled. They are scheduled in
// order of time, so that a ring keeps them without sorting. The time is stored once for all events
// of a cycle.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

/// A ring buffer that grows by doubling. Places are numbered without end, modulo 2^64.
template <typename T>
class GrowingRing {
 public:
  T& operator[](std::size_t place) { return ring_[place & mask_]; }
  const T& operator[](std::size_t place) const { return ring_[place & mask_]; }
  std::size_t capacity() const { return mask_ + 1; }
  T* data() { return ring_.data(); }
  /// Doubles the ring; elements in [head, tail) keep their places.
  void grow(std::size_t head, std::size_t tail) {
    std::vector<T> larger(2 * ring_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::size_t i = head; i != tail; ++i) larger[i & mask] = ring_[i & mask_];
    ring_ = std::move(larger);
    mask_ = mask;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(ring_, mask_);
  }

 private:
  static constexpr std::size_t kInitial = 64;  ///< a power of two, like every later size
  std::vector<T> ring_ = std::vector<T>(kInitial);
  std::size_t mask_ = kInitial - 1;
};

template <typename T>
class DelayLineOf {
 public:
  explicit DelayLineOf(Tick delay) : delay_(delay) {}

  Tick delay() const { return delay_; }
  /// The cycle of the next events; kNever if there are none.
  Tick next() const { return batches_[first_].at; }

  /// Adds an event, which happens delay() cycles after the present cycle. close() ends the present
  /// cycle.
  void push(const T& event) {
    events_[tail_] = event;
    if (++tail_ == full_) [[unlikely]]
      grow();
  }
  /// Pushes up to a fixed number of events and keeps the line's end in registers. It must be
  /// destroyed before the line is used in any other way.
  class Writer {
   public:
    Writer(DelayLineOf& line, std::size_t most) : line_(&line) {
      while (line.full_ - line.tail_ <= most) line.grow();
      events_ = line.events_.data();
      mask_ = line.events_.capacity() - 1;
      tail_ = line.tail_;
    }
    Writer(const Writer&) = delete;
    ~Writer() { line_->tail_ = tail_; }
    void push(const T& event) { events_[tail_++ & mask_] = event; }

   private:
    DelayLineOf* line_;
    T* events_;
    std::size_t mask_;
    std::size_t tail_;
  };

  /// Ends the cycle `now`: everything pushed since the previous call happens together, in cycle
  /// `now` + delay().
  void close(Tick now) {
    if (tail_ == closed_) return;
    closed_ = tail_;
    batches_[last_] = {now + delay_, tail_};
    if (++last_ - first_ == batches_.capacity()) batches_.grow(first_, last_);
    batches_[last_].at = kNever;
  }

  /// Reads events by place and keeps the ring's address in a register. It may read places after the
  /// line's end, so that data of coming events can be prefetched; those places hold arbitrary old
  /// events. It must be destroyed before the next push.
  class View {
   public:
    const T& operator[](std::size_t place) const { return ring_[place & mask_]; }

   private:
    friend class DelayLineOf;
    View(const T* ring, std::size_t mask) : ring_(ring), mask_(mask) {}
    const T* ring_;
    std::size_t mask_;
  };
  View view() { return {events_.data(), events_.capacity() - 1}; }
  /// Calls body(place) for each event of the next cycle, then removes them. Returns their number.
  /// The body must not push.
  template <typename Body>
  std::size_t pop_batch(const Body& body) {
    const std::size_t begin = head_;
    const std::size_t end = batches_[first_++].end;
    for (std::size_t place = begin; place != end; ++place) body(place);
    head_ = end;
    full_ = head_ + events_.capacity();
    return end - begin;
  }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(events_, batches_, head_, closed_, tail_, full_, first_, last_);
  }

 private:
  struct Batch {
    Tick at = kNever;
    std::size_t end = 0;  ///< place after its last event
  };

  [[gnu::noinline]] void grow() {
    events_.grow(head_, tail_);
    full_ = head_ + events_.capacity();
  }

  Tick delay_;
  GrowingRing<T> events_;
  GrowingRing<Batch> batches_;             ///< the element after the last batch has kNever
  std::size_t head_ = 0;                   ///< first event
  std::size_t closed_ = 0;                 ///< place after the last event that is in a batch
  std::size_t tail_ = 0;                   ///< after the last event
  std::size_t full_ = events_.capacity();  ///< when tail_ gets to this place, the ring must grow
  std::size_t first_ = 0;                  ///< first batch
  std::size_t last_ = 0;                   ///< after the last batch
};

using DelayLine = DelayLineOf<Event>;

}  // namespace toroid::sim
