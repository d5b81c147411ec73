// The memory of all frames of a process, in one piece that can be registered with the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "router/ofi/frame_flow.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// Owns the frames' memory and the operations on it.
class FrameBuffers {
 public:
  /// Buffers for flows with `peers` other processes.
  FrameBuffers(unsigned peers, const FlowLimits& limits);

  const FlowLimits& limits() const { return limits_; }
  std::span<std::byte> memory() const { return {memory_.get(), bytes_}; }
  /// The memory of the receive operations comes first, that of the send operations after it.
  std::span<std::byte> inward_memory() const {
    return memory().first(inward_.size() * stride(limits_));
  }
  std::span<std::byte> outward_memory() const {
    return memory().subspan(inward_.size() * stride(limits_));
  }
  /// Operations that receive frames. `Operation::user` is an operation's index. Each peer has a
  /// window of operations whose buffers it may write to, and some spare operations, which receive
  /// any frame.
  std::span<Operation> inward() { return inward_; }
  /// Index in inward() of the first operation of the `peer`th peer's window. The other operations
  /// of the window follow it.
  static std::uint32_t window_index(unsigned peer, const FlowLimits& limits);
  /// Distance in bytes from one receive buffer to the next. The first buffer is at the beginning of
  /// memory().
  static std::size_t stride(const FlowLimits& limits);
  /// Total number of operations.
  std::size_t operations() const {
    return inward_.size() + outward_.size() + acknowledgement_.size();
  }
  /// Whether `operation` is the address of one of these operations.
  bool holds(const void* operation) const;
  /// Operations that send the frames of the `peer`th flow. REQUIRES: peer < peers.
  std::span<Operation> outward(unsigned peer);
  /// Operation that sends the acknowledgements of the `peer`th flow. Its buffer has room only for a
  /// header.
  Operation& acknowledgement(unsigned peer) { return acknowledgement_[peer]; }

  /// Bytes that a process allocates for each peer.
  static std::size_t bytes_per_peer(const FlowLimits& limits);
  /// Returns limits with frames of `best_frame_bytes`, or shorter frames if the memory for all
  /// peers would be too large. If links are `checked`, there are enough send buffers to keep frames
  /// until they are acknowledged.
  static FlowLimits limits_for(unsigned peers, std::size_t best_frame_bytes, bool checked = false);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::span<std::byte> cut(std::size_t bytes);

  FlowLimits limits_;
  std::size_t bytes_;
  std::size_t cut_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<Operation> inward_;
  std::vector<Operation> outward_;
  std::vector<Operation> acknowledgement_;
};

}  // namespace toroid::ofi
