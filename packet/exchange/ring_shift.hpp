// Rolling: the nodes of a ring pass on a block each, all in the same direction, step after step.
//
// Two buffers a node: block n, counted from the start, stands in buffer n mod 2 while block n+1
// arrives in the other one. Why nothing is overwritten that is still needed: a node sends its block
// n, which becomes its neighbour's block n+1, only when the neighbour has advanced n times and has
// said so. By then the neighbour has no use for its block n-1, the last one in that buffer, and has
// sent it. And it cannot have advanced further, since block n+1 has not come: so packets that
// arrive always belong to the next block. Neighbours drift apart by a step; no barrier is needed.
// Nobody waits for ever: to send block n takes the neighbour's being done with block n-1, which at
// most takes that its neighbour is done with n-2, and so on down to 0, for which there is room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

class RingShift {
 public:
  /// Handlers that a roll takes: for blocks and for the neighbour's word that there is room.
  static constexpr HandlerId kHandlers = 2;
  /// Throws BadInput where a block is longer than a packet's argument can say.
  static void check(std::uint64_t bytes);

  /// Sends to `to` and receives from `from`; a node alone in its ring is both, and rolls nothing.
  /// The buffers, equally long and within check(), must outlive the roll; the block stands in the
  /// first.
  RingShift(Node& node, HandlerId first_handler, Rank to, Rank from,
            std::array<std::span<std::byte>, 2> buffers);
  RingShift(const RingShift&) = delete;

  /// The block is sent as soon as the neighbour has room for it. It may be read until advance(),
  /// but not written.
  void start();
  /// REQUIRES: it has been sent, and the next one has arrived.
  void advance();
  /// The buffer with the block.
  unsigned current() const { return static_cast<unsigned>(rolls_ % 2); }

  /// What has to be waited for: the block has been sent ...
  const Counter& sent() const { return streams_[current()].sent(); }
  std::uint64_t sent_when_done() const { return alone_ ? 0 : rolls_ / 2 + 1; }
  /// ... and the next one has arrived.
  const Counter& arrived() const { return arrived_; }
  std::uint64_t arrived_when_done() const {
    return alone_ ? 0 : (rolls_ + 1) * streams_[0].packets();
  }
  bool done() const {
    return sent().value() == sent_when_done() && arrived().value() == arrived_when_done();
  }
  /// Bytes that a start() sends.
  std::uint64_t bytes() const { return alone_ ? 0 : buffers_[0].size(); }

 private:
  void receive(const Packet& packet);
  void on_room();
  void note_received(HandlerId handler, Rank from, std::uint64_t count) const;

  Node* node_;
  HandlerId first_handler_;
  Rank from_;
  bool alone_;
  std::array<std::span<std::byte>, 2> buffers_;
  std::array<Stream, 2> streams_;  ///< one per buffer
  std::uint64_t rolls_ = 0;        ///< times advanced
  std::uint64_t rooms_ = 0;        ///< times that the neighbour has advanced
  bool waiting_ = false;           ///< started, but the neighbour has no room yet
  Counter arrived_{"packets of the next block"};
};

}  // namespace toroid
