// A queue from one thread to another that grows without locks and reuses the memory of its values.
#pragma once

#include <atomic>
#include <deque>

#include "router/threads/atomics.hpp"

namespace toroid {

/// A chain of links. Links that the consumer has passed are reused. So the number of links is two
/// more than the largest number of values that were in the queue at once. Values are written and
/// read in place.
///
/// Links in order: those from oldest_ to the one before released_ may be reused; released_ is the
/// link that was consumed last; the links after it, up to back_, are in the queue. The draft is not
/// yet in the chain.
template <typename T>
class SpscChain {
 public:
  SpscChain() : back_(&links_.emplace_back()), draft_(&links_.emplace_back()) {
    oldest_ = known_released_ = front_ = back_;
    released_.store(front_, std::memory_order_relaxed);
  }
  SpscChain(const SpscChain&) = delete;

  // For the producer.
  /// The value that post() will send; initially as the consumer left it, or T().
  T& draft() { return draft_->value; }
  void post() {
    back_->next.store(draft_, std::memory_order_release);  // partner: next() of the consumer
    back_ = draft_;
    draft_ = spare();
  }

  // For the consumer.
  bool empty() const { return next() == nullptr; }
  /// REQUIRES: not empty.
  const T& front() const { return next()->value; }
  void pop() {
    front_ = next();
    released_.store(front_, std::memory_order_release);  // partner: spare() of the producer
  }

 private:
  struct Link {
    T value{};
    sync::atomic<Link*> next{nullptr};
  };

  Link* next() const { return front_->next.load(std::memory_order_acquire); }
  Link* spare() {
    if (oldest_ == known_released_) known_released_ = released_.load(std::memory_order_acquire);
    if (oldest_ == known_released_) return &links_.emplace_back();
    Link* const link = oldest_;
    oldest_ = link->next.load(std::memory_order_relaxed);
    link->next.store(nullptr, std::memory_order_relaxed);
    return link;
  }

  std::deque<Link> links_;  ///< owns the links
  Link* back_;
  Link* draft_;
  Link* oldest_;
  Link* known_released_;          ///< the value of released_ that the producer read last
  alignas(64) Link* front_;       ///< the consumer's own copy of released_
  sync::atomic<Link*> released_;  ///< written by the consumer
};

}  // namespace toroid
