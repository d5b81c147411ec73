// Ring shift: each node of a ring sends its block to its neighbour, once per step, all in the same
// direction.
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

/// One node's part of a ring shift. No barrier is needed; neighbours drift apart by at most a step.
///
/// Protocol: a node has two buffers. Block n, counted from the start, stands in buffer n mod 2
/// while block n+1 arrives in the other one. advance() acknowledges block n to the neighbour that
/// sent it.
///
/// **Send rule:** a node sends block n only after its neighbour has acknowledged block n-1, that
/// is, advanced n times.
/// **Safety:** block n becomes the neighbour's block n+1 and takes the buffer of its block n-1,
/// which the neighbour has then sent and needs no more. What arrives always belongs to the next
/// block: the neighbour cannot advance beyond block n before block n+1 has come.
/// **Liveness:** sending block n waits at most for the neighbour to be done with block n-1, which
/// waits at most for its neighbour to be done with n-2, and so on down to block 0, for which there
/// is room.
///
/// The node's own thread calls it.
class RingShift {
 public:
  /// Handlers of a ring shift: one for blocks, one for acknowledgements.
  static constexpr HandlerId kHandlers = 2;
  /// Throws BadInput if a block of so many bytes is longer than a packet's argument can say.
  static void check(std::uint64_t bytes);

  /// Sends to `to` and receives from `from`. A node alone in its ring is both, and sends nothing.
  /// The buffers, equally long and within check(), must outlive the shift. Block 0 stands in the
  /// first.
  RingShift(Node& node, HandlerId first_handler, Rank to, Rank from,
            std::array<std::span<std::byte>, 2> buffers);
  RingShift(const RingShift&) = delete;

  /// Sends the current block as soon as the send rule allows. The block may be read until
  /// advance(), but not written.
  void start();
  /// Goes on to the next block. REQUIRES: done().
  void advance();
  /// The buffer that holds the current block.
  unsigned current() const { return static_cast<unsigned>(steps_ % 2); }

  // A program waits until the current block has been sent ...
  const Counter& sent() const { return streams_[current()].sent(); }
  std::uint64_t sent_when_done() const { return alone_ ? 0 : steps_ / 2 + 1; }
  // ... and until the next one has arrived.
  const Counter& arrived() const { return arrived_; }
  std::uint64_t arrived_when_done() const {
    return alone_ ? 0 : (steps_ + 1) * streams_[0].packets();
  }
  bool done() const {
    return sent().value() == sent_when_done() && arrived().value() == arrived_when_done();
  }
  /// Bytes that a start() sends.
  std::uint64_t bytes() const { return alone_ ? 0 : buffers_[0].size(); }

 private:
  void receive(const Packet& packet);
  void on_acknowledgement();
  void note_received(HandlerId handler, Rank from, std::uint64_t count) const;

  Node* node_;
  HandlerId first_handler_;
  Rank from_;
  bool alone_;
  std::array<std::span<std::byte>, 2> buffers_;
  std::array<Stream, 2> streams_;   ///< one per buffer
  std::uint64_t steps_ = 0;         ///< times that this node has advanced
  std::uint64_t acknowledged_ = 0;  ///< blocks that the receiving neighbour has acknowledged
  bool waiting_ = false;            ///< started, but the send rule does not allow it yet
  Counter arrived_{"packets of the next block"};
};

}  // namespace toroid
