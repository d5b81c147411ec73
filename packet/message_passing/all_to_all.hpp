// The collective all-to-all of message passing: MPI's Alltoallv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"

namespace toroid {

/// One node's part: one block to and one block from every other member of a group, of any lengths.
/// As in MPICH, all receives are posted, then all sends; empty blocks are left out, and all
/// requests are awaited together. Each node visits the others in its own random order. A call costs
/// Machine::collective_cycles in addition to the costs of its messages.
class AllToAll {
 public:
  /// Bytes of the blocks, by member. The node's own entries are ignored.
  struct Lengths {
    std::vector<std::uint32_t> to;
    std::vector<std::uint32_t> from;
  };
  /// Calls of different groups or purposes that may overlap need different communicators. `layer`
  /// must outlive this object. REQUIRES: sender and receiver agree on the length of every block.
  AllToAll(MessagePassing& layer, const Group& group, Communicator communicator,
           const Lengths& lengths);

  /// The block for a member, and the block from a member. All outgoing blocks follow one another in
  /// one buffer, all incoming blocks in another.
  std::span<std::byte> to(Rank member) { return block(to_, member); }
  std::span<const std::byte> from(Rank member) { return block(from_, member); }
  std::uint64_t bytes() const { return to_.bytes.size() + from_.bytes.size(); }

  /// Begins a call. Until the call is done, the blocks to others must not change. REQUIRES: the
  /// previous call is done.
  void start();
  /// A program that awaits this goes on when all blocks from others have arrived, and the blocks to
  /// others may be changed.
  RequestsAwaiter wait() const { return MessagePassing::wait(requests_); }

 private:
  struct Side {
    Side(const std::vector<std::uint32_t>& lengths, Rank self);
    std::vector<std::uint64_t> begin;  ///< [member]: begin of its block; one element more
    std::vector<std::byte> bytes;
  };
  static std::span<std::byte> block(Side& side, Rank member) {
    return std::span(side.bytes)
        .subspan(side.begin[member], side.begin[member + 1] - side.begin[member]);
  }
  MessagePassing* layer_;
  Group group_;
  Communicator communicator_;
  SendOrder order_;
  Side to_;
  Side from_;
  std::vector<MessageRequest> requests_;  ///< the receives by member, then the sends by member
};

}  // namespace toroid
