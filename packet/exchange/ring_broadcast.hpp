// Ring broadcast: the nodes of a ring take turns to send their block to all others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's part of the broadcasts in a ring of P nodes. They go in rounds of P blocks; block n
/// is that of the node at place (first + n) mod P. A block goes round the ring both ways, half the
/// ring each, from neighbour to neighbour; nodes forward its packets as they come. The next block
/// arrives while the node works on the current one. No barrier is needed.
///
/// Protocol: n counts the blocks of all rounds, from the first round on. A node has two buffers:
/// block n of another node is in buffer n mod 2. When a node no longer needs block n-2 and has sent
/// its share of that block, it permits the neighbour from which block n comes to send that block;
/// begin() permits the first two blocks. Between rounds the caller may use the buffers.
///
/// **Send rule:** a node sends a block only with its receiver's permission for that block.
/// **Safety:** packets of at most two blocks are on their way to a node. They go to different
/// buffers, and each packet says to which.
/// **Liveness:** block n waits only until nodes are done with block n-2, which waits only for block
/// n-4, and so on, down to the first two blocks of a round. There is room for these two when the
/// round begins.
///
/// The node's own thread calls it. A packet for a ring broadcast that has been destroyed ends the
/// run.
class RingBroadcast final : public PayloadSource, public Outgoing {
 public:
  /// Handlers: one for blocks, one for permissions.
  static constexpr HandlerId kHandlers = 2;
  /// Blocks that go up leave by this output queue, those that go down by the next one, permissions
  /// by queue 0; numbers are taken modulo the number of the node's queues.
  static constexpr unsigned kBlockQueue = 1;

  /// A node's ring.
  struct Ring {
    Rank up;         ///< the neighbour at the next place
    Rank down;       ///< the neighbour at the previous place
    unsigned place;  ///< 0 to size - 1
    unsigned size;   ///< P, at least 1
    unsigned first;  ///< the place of a round's first block
  };
  /// `bytes`: length of a block, which must pass RingShift::check().
  RingBroadcast(Node& node, HandlerId first_handler, const Ring& ring, std::size_t bytes);
  RingBroadcast(const RingBroadcast&) = delete;
  ~RingBroadcast() override;

  /// Begins a round. `own` is the node's block, which must not change before the round has ended.
  /// Other blocks arrive in the buffers; a node alone in its ring does not use them. REQUIRES: the
  /// previous round has ended.
  void begin(std::span<const std::byte> own, std::array<std::span<std::byte>, 2> buffers);
  /// Number of blocks that have arrived since the first round began. A program waits until it has
  /// reached current().
  const Counter& arrived() const { return arrived_; }
  /// The value of arrived() at which the current block has arrived.
  std::uint64_t current() const { return used_ + 1; }
  /// The current block. REQUIRES: it has arrived.
  const std::byte* block() const {
    TOROID_CHECK_LT(used_, arrived_.value());
    return slots_[used_ % 2].memory;
  }
  /// Goes on to the next block. REQUIRES: the current one has arrived.
  void advance();
  /// Number of blocks that the node no longer needs and has sent on. At the end of a round a
  /// program waits until this has reached current() - 1. Then the round has ended.
  const Counter& finished() const { return finished_; }
  std::size_t size() const { return bytes_; }
  /// Number of neighbours to which the node sends the current block: 0, 1 or 2.
  std::uint64_t directions() const { return directions(used_); }
  /// Whether the round is not over: a block has not arrived, or some packet has not left.
  bool is_under_way() const { return ring_.size > 1 && finished_.value() < end_of_rounds(); }

  // Called when packets leave.
  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  enum Direction : unsigned { kUp, kDown };
  static constexpr std::array kDirections = {kUp, kDown};

  /// A block in a buffer, or the node's own.
  struct Slot {
    const std::byte* memory = nullptr;  ///< null if it is the node's own, of a round that has not
                                        ///< begun
    std::uint64_t arrived = 0;          ///< number of packets before the first that is missing
    std::uint64_t left = 0;             ///< number of packets that have left, added up over both
                                        ///< directions
    std::vector<bool> early{};          ///< [packet]: whether it has come, perhaps before an
                                        ///< earlier one
  };
  /// What the node sends in one direction.
  struct Stream {
    std::uint64_t block = 0;      ///< the block that is being sent, or the next one
    std::uint64_t packets = 0;    ///< number of its packets that are queued
    std::uint64_t permitted = 0;  ///< number of blocks that the receiver has permitted
    std::uint64_t begun = 0;      ///< number of blocks that are queued as a whole
    std::uint64_t received = 0;   ///< number of blocks that came in this direction from other nodes
  };

  unsigned root(std::uint64_t block) const;
  Direction way_of(std::uint64_t block) const;
  Rank neighbour(Direction direction) const { return direction == kUp ? ring_.up : ring_.down; }
  /// The neighbour from which blocks that travel in this direction come.
  Rank source(Direction direction) const { return neighbour(direction == kUp ? kDown : kUp); }
  bool is_own(std::uint64_t block) const { return root(block) == ring_.place; }
  unsigned distance(std::uint64_t block, Direction direction) const;
  unsigned reach(Direction direction) const;
  bool sends(std::uint64_t block, Direction direction) const;
  std::uint64_t directions(std::uint64_t block) const;
  std::uint64_t end_of_rounds() const { return rounds_ * ring_.size; }

  void open(std::uint64_t block);
  void settle();
  void seek(Direction direction);
  std::uint64_t sendable(Direction direction) const;
  bool owes() const { return permitted_ < permissible(); }
  std::uint64_t permissible() const;
  void post_if_needed();
  bool permit(OutputQueues& queues);
  SendDescriptor describe(Direction direction);
  void receive(const Packet& packet);
  void note_received(std::uint64_t slot);
  void on_permission(const Packet& packet);

  Node* node_;
  HandlerId first_handler_;
  Ring ring_;
  std::size_t bytes_;
  std::uint64_t packets_;  ///< packets of a block
  bool posted_ = false;
  std::uint64_t rounds_ = 0;
  std::uint64_t used_ = 0;       ///< number of blocks that the node no longer needs
  std::uint64_t permitted_ = 0;  ///< number of blocks that this node has permitted, or that need no
                                 ///< permission
  const std::byte* own_ = nullptr;
  std::array<std::byte*, 2> buffers_{};
  std::array<Slot, 2> slots_;
  std::array<Stream, 2> streams_;
  Counter arrived_{"broadcast blocks received"};
  Counter finished_{"broadcast blocks used and sent on"};
  Attachment attachment_;
};

}  // namespace toroid
