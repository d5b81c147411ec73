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
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's part of a ring shift. It goes in rounds, from begin() to end(). In each round blocks
/// go round the ring once or more, so that in the end every node has its own again. A block leaves
/// in portions as it is released, and is used as it arrives: the shift of a block overlaps with the
/// work on it. No barrier is needed; neighbours drift apart by at most one step.
///
/// Protocol: blocks are counted from the first round on. If packets carry the bytes, a node has two
/// buffers: block n is in buffer n mod 2 while block n+1 arrives in the other one. If packets carry
/// pointers, a node has one buffer, in which its own block stays, and it is told the address of the
/// current block. When a node has gone on from block n (advance()) and sent all of it, it permits
/// its neighbour to send the block that becomes this node's block n+2; begin() permits the first
/// block of a round.
///
/// **Send rule:** a node sends block n only with permission number n+1 of its neighbour.
/// **Safety:** block n becomes the neighbour's block n+1 and takes the buffer of its block n-1,
/// which the neighbour has then sent and no longer needs. Packets of at most two blocks, n and n+1,
/// are in flight at once: block n+2 leaves only when the neighbour is done with its own block n+1,
/// that is, with all of this node's block n. Packets of the two blocks may overtake each other, but
/// each says which of the two buffers it comes from.
/// After the last block of a round nothing comes before the next begin(), so the caller may use the
/// buffers meanwhile.
/// **Liveness:** sending block n waits only for the neighbour to be done with block n-1, which
/// waits only for its neighbour to be done with n-2, and so on down to the round's first block, for
/// which there is room when the neighbour begins.
///
/// The node's own thread calls it. A packet for a ring shift that has been destroyed ends the run.
class RingShift final : public PayloadSource, public Outgoing {
 public:
  /// Handlers of a ring shift: one for blocks, one for permissions.
  static constexpr HandlerId kHandlers = 2;
  /// The output queue for the permissions of all shifts of a node. So that no shift waits for
  /// another, the node also needs one queue per direction in which blocks leave at the same time.
  static constexpr unsigned kPermissionQueue = 0;
  /// Throws BadInput if a block of `bytes` bytes has more packets than the header's argument can
  /// count.
  static void check(std::uint64_t bytes);

  /// What packets carry.
  enum class Carrier : std::uint8_t {
    packets,  ///< the bytes of a block
    pointer,  ///< the address of a block: the nodes of the ring work on each other's memory
  };
  /// A shift's neighbours, and the output queue of its blocks, whose number is taken modulo the
  /// number of the node's queues.
  struct Way {
    Rank to;
    Rank from;
    unsigned queue = 1;
    Carrier carrier = Carrier::packets;
  };
  /// A node alone in its ring is its own neighbour and sends nothing. `bytes`: length of a block,
  /// which must pass check(). REQUIRES for pointers: Node::put_reach() is PutReach::shared between
  /// all nodes of the ring.
  RingShift(Node& node, HandlerId first_handler, const Way& way, std::size_t bytes);
  RingShift(const RingShift&) = delete;
  ~RingShift() override;

  /// Begins a round. `own` holds the node's first block. The next one arrives in `other`, which is
  /// not used with pointers or by a node alone. Both must outlive the round. REQUIRES: all blocks
  /// of the previous round have arrived and left.
  void begin(std::span<std::byte> own, std::span<std::byte> other);
  /// Lets the first `bytes` bytes of the current block leave as soon as the send rule allows. As
  /// long as more of the block is to come, only whole packets leave. From now on these bytes may be
  /// read but not written; with pointers, not even read.
  void release(std::size_t bytes);
  /// Releases the whole block.
  void release() { release(size()); }
  /// Goes on to the next block. REQUIRES: the current block is released.
  void advance();
  /// Like advance(), after the last block of a round. The next block is the node's own.
  void end();
  std::size_t size() const { return bytes_; }
  Carrier carrier() const { return way_.carrier; }
  /// The address of the current block. Only the bytes that have arrived may be used.
  std::byte* block() const { return buffers_[current()]; }

  /// Number of packets that have arrived. A program waits until this has reached
  /// arrived_with(bytes); then the first `bytes` bytes of the current block are there.
  const Counter& arrived() const { return arrived_; }
  std::uint64_t arrived_with(std::size_t bytes) const;
  /// Number of blocks that have left. A program waits until this has reached sent_with_all(); then
  /// all blocks before the current one have left.
  const Counter& sent() const { return sent_; }
  std::uint64_t sent_with_all() const { return alone_ ? 0 : steps_; }
  /// Whether a block of the round has not arrived, or a part that was released has not left. If so,
  /// a long computation should let the node handle packets now and then.
  bool is_under_way() const {
    const std::uint64_t blocks = steps_ + (has_begun_ ? 1 : 0);
    return !alone_ && (arrived_.value() < blocks * packets_ || left_[0] + left_[1] < released_);
  }

  // Called when packets leave.
  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  /// With pointers, the number of the buffer, 0 or 1, is in this bit of the argument, above the
  /// number of released packets of the block.
  static constexpr unsigned kBufferBit = 31;

  unsigned current() const { return static_cast<unsigned>(steps_ % 2); }
  bool shares_memory_with(Rank other) const {
    return other == node_->rank() || node_->put_reach(other) == PutReach::shared;
  }
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
  void on_permission(const Packet& packet);
  void note_arrived(std::uint64_t packet);
  void note_block_received() const;
  void note_received(HandlerId handler, Rank from, std::uint64_t count) const;

  Node* node_;
  HandlerId first_handler_;
  Way way_;
  bool alone_;
  bool posted_ = false;
  bool has_begun_ = false;  ///< a round is in progress
  std::array<std::byte*, 2> buffers_{};
  std::size_t bytes_;
  std::uint64_t packets_;  ///< packets of a block; with pointers, released parts are measured in
                           ///< packets too
  // These count the packets of all blocks.
  std::uint64_t released_ = 0;
  std::uint64_t queued_ = 0;
  std::deque<std::uint64_t> marks_;      ///< with pointers: where the released parts end that are
                                         ///< not queued yet
  std::array<std::uint64_t, 2> left_{};  ///< packets that have left each buffer
  std::vector<bool> early_;              ///< [packet, modulo two blocks]: whether it came before an
                                         ///< earlier one
  std::uint64_t steps_ = 0;              ///< number of times that this node has advanced
  std::uint64_t permitted_ = 0;          ///< blocks that the receiving neighbour has permitted
  std::uint64_t permitting_ = 0;         ///< blocks that this node has permitted
  Counter arrived_{"packets of blocks received"};
  Counter sent_{"blocks sent"};
  Attachment attachment_;
};

}  // namespace toroid
