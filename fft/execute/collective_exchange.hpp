// The exchange between two stages of a plan by message passing: data is packed, carried by one
// collective call, and unpacked.
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

/// One node's part of an exchange. Packing and unpacking are separate copies, which take
/// Machine::copy_cycles_per_byte for each byte. Pass owns the object; only the node's own thread
/// calls it.
class CollectiveExchange {
 public:
  /// `layer` and the distributions must outlive this object.
  CollectiveExchange(MessagePassing& layer, Communicator communicator, const Distribution& from,
                     const Distribution& to, std::uint32_t element_bytes, const Group& group,
                     std::span<std::byte> target);

  /// Sets the array in which data is stored from now on. REQUIRES: no call is under way.
  void set_target(std::span<std::byte> target) { target_ = target; }
  /// Bytes of the buffers for packed data.
  std::uint64_t bytes() const { return blocks_.bytes(); }
  /// Packs the data at `source` and begins the call.
  void start(const std::byte* source);
  RequestsAwaiter wait() const { return blocks_.wait(); }
  /// Unpacks the received data. REQUIRES: wait() has completed.
  void finish();

 private:
  AllToAll::Lengths lengths() const;

  MessagePassing* layer_;
  Redistribution redistribution_;
  AllToAll blocks_;
  std::span<std::byte> target_;
};

}  // namespace toroid::fft
