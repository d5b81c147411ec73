// Ring shift: each node of a ring sends its block to its neighbour, once per step, all in the same
// direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's part of a ring shift. A block leaves in portions, as far as it is released, and is
/// used as far as it has arrived: the shift of a block overlaps with the work on it. No barrier is
/// needed; neighbours drift apart by at most a step.
///
/// Protocol: a node has two buffers. Block n, counted from the start, stands in buffer n mod 2
/// while block n+1 arrives in the other one. A node that has gone on from block n (advance()) and
/// sent all of it acknowledges block n to the neighbour that sent it.
///
/// **Send rule:** a node sends block n only after its neighbour has acknowledged block n-1.
/// **Safety:** block n becomes the neighbour's block n+1 and takes the buffer of its block n-1,
/// which the neighbour has then sent and needs no more. Packets of two blocks at most are on their
/// way at once, n and n+1: block n+2 waits for the acknowledgement of n+1, hence for all of n. They
/// may overtake each other; a packet says which of the two buffers it comes from.
/// **Liveness:** sending block n waits at most for the neighbour to be done with block n-1, which
/// waits at most for its neighbour to be done with n-2, and so on down to block 0, for which there
/// is room.
///
/// The node's own thread calls it. It must live until the fabric has stopped.
class RingShift final : public PayloadSource, public Outgoing {
 public:
  /// Handlers of a ring shift: one for blocks, one for acknowledgements.
  static constexpr HandlerId kHandlers = 2;
  /// Output queues of a node that let no shift wait for another: one for the acknowledgements of
  /// all, and one per direction in which blocks leave at the same time.
  static constexpr unsigned kAcknowledgementQueue = 0;
  /// Throws BadInput if a block of so many bytes is longer than a packet's argument can say.
  static void check(std::uint64_t bytes);

  /// A shift's neighbours, and the output queue of its blocks: a number that is taken modulo the
  /// number of the node's queues.
  struct Way {
    Rank to;
    Rank from;
    unsigned queue = 1;
  };
  /// A node alone in its ring is both of its neighbours, and sends nothing. The buffers, equally
  /// long and within check(), must outlive the shift. Block 0 stands in the first.
  RingShift(Node& node, HandlerId first_handler, const Way& way,
            std::array<std::span<std::byte>, 2> buffers);
  RingShift(const RingShift&) = delete;

  /// The first `bytes` of the current block leave as soon as the send rule allows, in whole packets
  /// as long as there is more to come. They may be read, but not written any more.
  void release(std::size_t bytes);
  /// All of it does.
  void release() { release(size()); }
  /// Goes on to the next block. REQUIRES: the current block is released.
  void advance();
  std::size_t size() const { return buffers_[0].size(); }
  /// The buffer that holds the current block.
  unsigned current() const { return static_cast<unsigned>(steps_ % 2); }

  /// A program waits until this has reached arrived_with(bytes): then the first `bytes` of the
  /// current block are there.
  const Counter& arrived() const { return arrived_; }
  std::uint64_t arrived_with(std::size_t bytes) const;
  /// A program waits until this has reached sent_with_all(): then all blocks before the current one
  /// have left.
  const Counter& sent() const { return sent_; }
  std::uint64_t sent_with_all() const { return alone_ ? 0 : steps_; }
  /// Whether the next block has not come, or something that is released has not left: a computation
  /// should look at the packets.
  bool is_under_way() const {
    return !alone_ &&
           (arrived_.value() < (steps_ + 1) * packets_ || left_[0] + left_[1] < released_);
  }

  // Called when packets leave.
  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  std::uint64_t sendable() const;
  std::uint64_t owed() const;
  void post_if_needed();
  bool acknowledge(OutputQueues& queues);
  SendDescriptor describe();
  void note_left(unsigned buffer, std::uint64_t packets);
  void receive(const Packet& packet);
  void on_acknowledgement();
  void note_arrived(std::uint64_t packet);
  void note_received(HandlerId handler, Rank from, std::uint64_t count) const;

  Node* node_;
  HandlerId first_handler_;
  Way way_;
  bool alone_;
  bool posted_ = false;
  std::array<std::span<std::byte>, 2> buffers_;
  std::uint64_t packets_;  ///< of a block
  // Packets are counted through all blocks.
  std::uint64_t released_ = 0;
  std::uint64_t queued_ = 0;
  std::array<std::uint64_t, 2> left_{};  ///< packets that have left each buffer
  std::vector<bool> early_;              ///< [packet mod 2 blocks] has come before one below it
  std::uint64_t steps_ = 0;              ///< times that this node has advanced
  std::uint64_t acknowledged_ = 0;       ///< blocks that the receiving neighbour has acknowledged
  std::uint64_t acknowledging_ = 0;      ///< blocks that this node has
  Counter arrived_{"packets of the next block"};
  Counter sent_{"its own block to leave"};
};

}  // namespace toroid
