// The memory of all frames of a process, in one piece that can be registered with a network.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "router/ofi/flow.hpp"
#include "router/ofi/wire.hpp"

namespace toroid::ofi {

class Buffers {
 public:
  /// For flows with so many other processes.
  Buffers(unsigned peers, const FlowLimits& limits);

  const FlowLimits& limits() const { return limits_; }
  std::span<std::byte> memory() const { return {memory_.get(), bytes_}; }
  /// Buffers in which frames arrive, from whomever; each has `user` as its index.
  std::span<Operation> inward() { return inward_; }
  /// Frames and the small buffer of the `peer`th flow. REQUIRES: peer < peers.
  std::span<Operation> outward(unsigned peer);
  Operation& small(unsigned peer) { return small_[peer]; }

  /// Bytes that a process keeps for each other one.
  static std::size_t bytes_per_peer(const FlowLimits& limits);
  /// Frames as long as the wire likes them, but no more memory than so much for all peers.
  static FlowLimits limits_for(unsigned peers, std::size_t best_frame_bytes);

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
  std::vector<Operation> small_;
};

}  // namespace toroid::ofi
