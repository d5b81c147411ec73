// Events from other blocks for the fast model, kept until their cycle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/lean/lean_state.hpp"

namespace toroid::sim::lean {

/// Events that arrive nearly in order of time, in a ring. A new event is inserted near the ring's
/// end, at its place in the order.
template <typename T>
class ArrivalLine {
 public:
  /// REQUIRES: `at` is not before the cycle of an event that has been popped.
  void push(Tick at, const T& event) {
    std::size_t place = tail_;
    for (; place != head_ && ring_[place - 1].at > at; --place) ring_[place] = ring_[place - 1];
    ring_[place] = {at, event};
    if (++tail_ - head_ == ring_.capacity()) ring_.grow(head_, tail_);
  }
  /// The cycle of the next events; kNever if there are none.
  Tick next() const { return head_ == tail_ ? kNever : ring_[head_].at; }
  /// Calls body(event) for the events of cycle `now`, then removes them. Returns their number.
  template <typename Body>
  std::size_t pop(Tick now, const Body& body) {
    const std::size_t begin = head_;
    for (; next() == now; ++head_) body(ring_[head_].event);
    return head_ - begin;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(ring_, head_, tail_);
  }

 private:
  struct Arrival {
    Tick at;
    T event;
  };
  GrowingRing<Arrival> ring_;
  std::size_t head_ = 0;  ///< first event
  std::size_t tail_ = 0;  ///< after the last event
};

/// Headers from one neighbour come in order. So do tokens of packets of the same length; tokens of
/// packets of different lengths are only slightly out of order.
struct FromNeighbour {
  ArrivalLine<Hop> headers;
  ArrivalLine<TokensBack> tokens;

  Tick next() const { return std::min(headers.next(), tokens.next()); }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(headers, tokens);
  }
};

/// Events from all neighbours.
class RemoteEvents {
 public:
  void header(std::size_t neighbour, Tick at, const Hop& hop) {
    next_ = std::min(next_, at);
    from(neighbour).headers.push(at, hop);
  }
  void tokens(std::size_t neighbour, Tick at, const TokensBack& tokens) {
    next_ = std::min(next_, at);
    from(neighbour).tokens.push(at, tokens);
  }
  /// The cycle of the next header or tokens; kNever if there are none.
  Tick next() const { return next_; }
  /// Calls on_header(hop) and on_tokens(tokens) for everything of cycle next(). Returns the number
  /// of headers; tokens do not count, because within a block they do not count as events either.
  template <typename OnHeader, typename OnTokens>
  std::size_t pop(const OnHeader& on_header, const OnTokens& on_tokens) {
    const Tick now = std::exchange(next_, kNever);
    std::size_t headers = 0;
    for (FromNeighbour& from : from_) {
      headers += from.headers.pop(now, on_header);
      from.tokens.pop(now, on_tokens);
      next_ = std::min(next_, from.next());
    }
    return headers;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(next_, from_);
  }

 private:
  FromNeighbour& from(std::size_t neighbour) {
    if (neighbour >= from_.size()) [[unlikely]]
      from_.resize(neighbour + 1);
    return from_[neighbour];
  }

  Tick next_ = kNever;
  std::vector<FromNeighbour> from_;  ///< [neighbour]
};

}  // namespace toroid::sim::lean
