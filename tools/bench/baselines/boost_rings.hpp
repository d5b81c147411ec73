// Boost.Lockfree's single-producer single-consumer ring, with the interface of OwnRing.
#pragma once

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include <algorithm>
#include <cstdint>

namespace baseline {

template <class T, std::uint64_t kSlots>
using Queue = boost::lockfree::spsc_queue<T, boost::lockfree::capacity<kSlots>>;

// Uses push and pop, one packet at a time. Both copy, so they copy directly from `source` and to
// `sink`.
template <class T, std::uint64_t kSlots>
class BoostOneByOne {
 public:
  template <class Source>
  void produce(std::uint64_t count, Source source) {
    for (std::uint64_t i = 0; i < count; ++i)
      while (!queue_.push(source(i))) {
      }
  }

  template <class Sink>
  void consume(std::uint64_t count, Sink sink) {
    for (std::uint64_t i = 0; i < count; ++i)
      while (!queue_.pop(sink(i))) {
      }
  }

 private:
  Queue<T, kSlots> queue_;
};

// Pushes up to kBatch packets at once from an array; consume_all calls take(i, slot) in place.
template <class T, std::uint64_t kSlots, std::uint64_t kBatch>
class BoostBatches {
 public:
  void produce(std::uint64_t count, const T* sources) {
    for (std::uint64_t i = 0; i < count;) {
      const std::uint64_t at = i % kBatch;
      i += queue_.push(sources + at, std::min(kBatch - at, count - i));
    }
  }

  template <class Take>
  void consume(std::uint64_t count, Take take) {
    for (std::uint64_t i = 0; i < count;)
      queue_.consume_all([&](const T& slot) { take(i++, slot); });
  }

 private:
  Queue<T, kSlots> queue_;
};

}  // namespace baseline
