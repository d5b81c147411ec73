// The exchange between two stages of a plan over message passing: data is packed, one collective
// call carries it, and it is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fft/layout/distribution.hpp"
#include "fft/layout/redistribution.hpp"
#include "packet/exchange/group.hpp"
#include "packet/message_passing/all_to_all.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"

namespace toroid::fft {

/// One node's part of an exchange. Packing and unpacking are copies of their own, which take
/// Machine::copy_cycles_per_byte. Pass owns it; the node's own thread calls it.
class CollectiveExchange {
 public:
  /// `layer` outlives it, as do the distributions.
  CollectiveExchange(MessagePassing& layer, Communicator communicator, const Distribution& from,
                     const Distribution& to, std::uint32_t element_bytes, const Group& group,
                     std::span<std::byte> target);

  /// Chooses the array that is received into from now on. REQUIRES: nothing is under way.
  void set_target(std::span<std::byte> target) { target_ = target; }
  /// Bytes of the buffers that data is packed in.
  std::uint64_t bytes() const { return blocks_.bytes(); }
  /// Packs what stands at `source` and begins the call.
  void start(const std::byte* source);
  RequestsAwaiter wait() const { return blocks_.wait(); }
  /// Unpacks what has come. REQUIRES: it has been waited for.
  void finish();

 private:
  AllToAll::Lengths lengths() const;

  MessagePassing* layer_;
  Redistribution redistribution_;
  AllToAll blocks_;
  std::span<std::byte> target_;
};

}  // namespace toroid::fft
