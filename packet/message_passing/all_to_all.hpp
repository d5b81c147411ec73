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

/// One node's part: a block for every other member of a group and one from each, of any lengths.
/// As in MPICH, all receives are posted and then all sends; empty blocks are left out, and all are
/// waited for together. Each node goes through the others in a random order of its own. A call
/// costs Machine::collective_cycles beside what its messages cost.
class AllToAll {
 public:
  /// Bytes of the blocks, by member. The own ones are ignored.
  struct Lengths {
    std::vector<std::uint32_t> to;
    std::vector<std::uint32_t> from;
  };
  /// Calls of different groups or purposes that may overlap have communicators of their own.
  /// `layer` must outlive it. REQUIRES: both ends are of one opinion about every block.
  AllToAll(MessagePassing& layer, const Group& group, Communicator communicator,
           const Lengths& lengths);

  /// The blocks, one behind the other in a buffer of each side.
  std::span<std::byte> to(Rank member) { return block(to_, member); }
  std::span<const std::byte> from(Rank member) { return block(from_, member); }
  std::uint64_t bytes() const { return to_.bytes.size() + from_.bytes.size(); }

  /// Begins a call; the blocks to others may not be changed. REQUIRES: the last one is done.
  void start();
  /// A program that awaits this goes on when all blocks have come and may be changed.
  RequestsAwaiter wait() const { return MessagePassing::wait(requests_); }

 private:
  struct Side {
    Side(const std::vector<std::uint32_t>& lengths, Rank self);
    std::vector<std::uint64_t> begin;  ///< by member, and the end
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
  std::vector<MessageRequest> requests_;  ///< receives by member, then sends
};

}  // namespace toroid
