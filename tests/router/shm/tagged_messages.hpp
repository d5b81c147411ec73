// Messages of an all-to-all that check that each of their packets arrived exactly once.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::testing {

/// Messages of `packets` packets between every two nodes. A packet's argument identifies the sender
/// and the packet.
class Tagged final : public Messages {
 public:
  Tagged(const Node& node, std::uint32_t packets)
      : self_(node.rank()), members_(node.size()), packets_(packets), seen_(members_ * packets) {}
  std::uint64_t bytes_to(Rank) const override { return packets_ * kPayloadBytes - 100; }
  std::uint64_t packets_expected() const override { return std::uint64_t{members_ - 1} * packets_; }
  std::uint32_t most_packets() const override { return packets_; }
  MessageRun run(Rank, std::uint32_t first, std::uint32_t limit) const override {
    return run_of(bytes_to(0), kPayloadBytes, first, limit);
  }
  bool has_payload() const override { return true; }
  bool has_places() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override {
    EXPECT_NE(member, self_);
    std::memset(payload.data(), 0, payload.size());
    return self_ * packets_ + packet;
  }
  void arrive_at(std::uint32_t place, std::span<const std::byte>) override { ++seen_.at(place); }
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override { return nullptr; }
  bool each_peer_once() const {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (seen_[i] != (i / packets_ == self_ ? 0u : 1u)) return false;
    return true;
  }

 private:
  Rank self_;
  Rank members_;
  std::uint32_t packets_;
  std::vector<unsigned> seen_;
};

inline std::uint64_t sum_of_minimal_hops(const Shape& shape) {
  std::uint64_t sum = 0;
  for (Rank a = 0; a < shape.size(); ++a)
    for (Rank b = 0; b < shape.size(); ++b)
      sum += minimal_hops(shape, shape.coord(a), shape.coord(b));
  return sum;
}

}  // namespace toroid::testing
