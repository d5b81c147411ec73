// Ring shift: each node of a ring sends its block to its neighbour, once per step, all in the same
// direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's part of a ring shift. It goes in rounds, begin() to end(), in each of which blocks go
/// round the ring once or more, so that in the end every node has its own again. A block leaves in
/// portions, as far as it is released, and is used as far as it has arrived: the shift of a block
/// overlaps with the work on it. No barrier is needed; neighbours drift apart by at most a step.
///
/// Protocol: blocks are counted from the first round on. By packets a node has two buffers: block n
/// stands in buffer n mod 2 while block n+1 arrives in the other one. By pointers it has one, in
/// which its own block stays: where the current one stands, it is told. A node that has gone on
/// from block n (advance()) and sent all of it permits its neighbour to send the next one but one;
/// begin() permits the first.
///
/// **Send rule:** a node sends block n only with the n+1st permission of its neighbour.
/// **Safety:** block n becomes the neighbour's block n+1 and takes the buffer of its block n-1,
/// which the neighbour has then sent and needs no more. Packets of two blocks at most are on their
/// way at once, n and n+1: block n+2 waits for the neighbour to be done with n+1, hence for all of
/// n. They may overtake each other; a packet says which of the two buffers it comes from. Behind
/// the last block of a round comes nothing before the next begin(): the buffers are the caller's
/// meanwhile.
/// **Liveness:** sending block n waits at most for the neighbour to be done with block n-1, which
/// waits at most for its neighbour to be done with n-2, and so on down to the round's first block,
/// for which there is room when the neighbour begins.
///
/// The node's own thread calls it. It must live until the fabric has stopped.
class RingShift final : public PayloadSource, public Outgoing {
 public:
  /// Handlers of a ring shift: one for blocks, one for permissions.
  static constexpr HandlerId kHandlers = 2;
  /// Output queues of a node that let no shift wait for another: one for the permissions of all,
  /// and one per direction in which blocks leave at the same time.
  static constexpr unsigned kPermissionQueue = 0;
  /// Throws BadInput if a block of so many bytes is longer than a packet's argument can say.
  static void check(std::uint64_t bytes);

  /// What travels.
  enum class Carrier : std::uint8_t {
    packets,  ///< the bytes of a block
    pointer,  ///< where it stands: the nodes of the ring work on each other's memory
  };
  /// A shift's neighbours, and the output queue of its blocks: a number that is taken modulo the
  /// number of the node's queues.
  struct Way {
    Rank to;
    Rank from;
    unsigned queue = 1;
    Carrier carrier = Carrier::packets;
  };
  /// A node alone in its ring is both of its neighbours, and sends nothing. `bytes`: of a block,
  /// within check(). REQUIRES for pointers: Node::put_reach() is PutReach::shared between all nodes
  /// of the ring.
  RingShift(Node& node, HandlerId first_handler, const Way& way, std::size_t bytes);
  RingShift(const RingShift&) = delete;

  /// Begins a round: `own` holds the node's first block, the next one arrives in `other`, which is
  /// not used by pointers, nor alone. Both must outlive the round. REQUIRES: all blocks of the
  /// round before have arrived and left.
  void begin(std::span<std::byte> own, std::span<std::byte> other);
  /// The first `bytes` of the current block leave as soon as the send rule allows, in whole packets
  /// as long as there is more to come. They may be read, but not written any more; by pointers, not
  /// even read.
  void release(std::size_t bytes);
  /// All of it does.
  void release() { release(size()); }
  /// Goes on to the next block. REQUIRES: the current block is released.
  void advance();
  /// The same behind the last block of a round. The next one is the node's own.
  void end();
  std::size_t size() const { return bytes_; }
  Carrier carrier() const { return way_.carrier; }
  /// Where the current block stands; all of it as far as it has arrived.
  std::byte* block() const { return buffers_[current()]; }

  /// A program waits until this has reached arrived_with(bytes): then the first `bytes` of the
  /// current block are there.
  const Counter& arrived() const { return arrived_; }
  std::uint64_t arrived_with(std::size_t bytes) const;
  /// A program waits until this has reached sent_with_all(): then all blocks before the current one
  /// have left.
  const Counter& sent() const { return sent_; }
  std::uint64_t sent_with_all() const { return alone_ ? 0 : steps_; }
  /// Whether a block of the round has not come, or something that is released has not left: a
  /// computation should look at the packets.
  bool is_under_way() const {
    const std::uint64_t blocks = steps_ + (has_begun_ ? 1 : 0);
    return !alone_ && (arrived_.value() < blocks * packets_ || left_[0] + left_[1] < released_);
  }

  // Called when packets leave.
  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  /// By pointers, the number of the buffer, 0 or 1, stands above the packets of the block that are
  /// released.
  static constexpr unsigned kBufferBit = 31;

  unsigned current() const { return static_cast<unsigned>(steps_ % 2); }
  bool by_pointers() const { return way_.carrier == Carrier::pointer; }
  std::uint64_t sendable() const;
  std::uint64_t owed() const;
  void post_if_needed();
  bool permit(OutputQueues& queues);
  SendDescriptor describe();
  SendDescriptor describe_packets();
  SendDescriptor describe_pointer();
  void go_on();
  void note_left(unsigned buffer, std::uint64_t packets);
  void receive(const Packet& packet);
  void receive_pointer(const Packet& packet);
  void on_permission();
  void note_arrived(std::uint64_t packet);
  void note_block_received() const;
  void note_received(HandlerId handler, Rank from, std::uint64_t count) const;

  Node* node_;
  HandlerId first_handler_;
  Way way_;
  bool alone_;
  bool posted_ = false;
  bool has_begun_ = false;  ///< a round is under way
  std::array<std::byte*, 2> buffers_{};
  std::size_t bytes_;
  std::uint64_t packets_;  ///< of a block; by pointers, units of what is released
  // Packets are counted through all blocks.
  std::uint64_t released_ = 0;
  std::uint64_t queued_ = 0;
  std::deque<std::uint64_t> marks_;      ///< by pointers: the ends of parts that are not queued yet
  std::array<std::uint64_t, 2> left_{};  ///< packets that have left each buffer
  std::vector<bool> early_;              ///< [packet mod 2 blocks] has come before one below it
  std::uint64_t steps_ = 0;              ///< times that this node has advanced
  std::uint64_t permitted_ = 0;          ///< blocks that the receiving neighbour has permitted
  std::uint64_t permitting_ = 0;         ///< blocks that this node has
  Counter arrived_{"packets of the next block"};
  Counter sent_{"its own block to leave"};
};

}  // namespace toroid
