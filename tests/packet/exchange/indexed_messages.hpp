// Messages of uneven length, some of them empty. Every value is its own index: source, destination
// and place in the message.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"

namespace toroid::testing {

/// Words of the message from a to b: 0 to 99, the longest of 792 bytes in four packets.
inline std::uint64_t words(Rank a, Rank b) {
  return (a * 31 + b * 17) % 7 == 0 ? 0 : (a * 13 + b * 29) % 100;
}

inline std::uint64_t word(Rank a, Rank b, std::uint64_t i) {
  return std::uint64_t{a} << 40 | std::uint64_t{b} << 20 | i;
}

/// The argument names the source's member number and the packet.
class IndexedMessages final : public Messages {
 public:
  explicit IndexedMessages(const Group& group) : group_(group), received_(group.size()) {
    for (Rank m = 0; m < group.size(); ++m) received_[m].assign(words(group.rank(m), rank()), 0);
  }
  std::uint64_t bytes_to(Rank member) const override {
    return 8 * words(rank(), group_.rank(member));
  }
  std::uint64_t packets_expected() const override {
    std::uint64_t sum = 0;
    for (Rank m = 0; m < group_.size(); ++m)
      if (m != group_.self()) sum += packets_for(8 * words(group_.rank(m), rank()));
    return sum;
  }
  std::uint32_t most_packets() const override {
    std::uint32_t most = 0;
    for (Rank m = 0; m < group_.size(); ++m)
      if (m != group_.self())
        most = std::max(most, static_cast<std::uint32_t>(packets_for(bytes_to(m))));
    return most;
  }
  bool has_payload() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override {
    EXPECT_FALSE(payload.empty());
    EXPECT_EQ(payload.size() % 8, 0u);
    for (std::size_t i = 0; i < payload.size() / 8; ++i) {
      const std::uint64_t value = word(rank(), group_.rank(member), packet * 30 + i);
      std::memcpy(payload.data() + 8 * i, &value, 8);
    }
    return group_.self() << 8 | packet;
  }
  void arrive(const Packet& packet) override {
    auto& from = received_.at(packet.header.argument() >> 8);
    const std::size_t begin = 30 * (packet.header.argument() & 0xff);
    const auto bytes = packet.bytes();
    ASSERT_LE(begin + bytes.size() / 8, from.size());
    std::memcpy(from.data() + begin, bytes.data(), bytes.size());
  }
  void expect_complete() const {
    for (Rank m = 0; m < group_.size(); ++m)
      for (std::uint64_t i = 0; m != group_.self() && i < received_[m].size(); ++i)
        ASSERT_EQ(received_[m][i], word(group_.rank(m), rank(), i)) << m << " to " << rank();
  }

 private:
  Rank rank() const { return group_.rank(group_.self()); }
  Group group_;
  std::vector<std::vector<std::uint64_t>> received_;  ///< [member]
};

}  // namespace toroid::testing
