// Messages of uneven length, some of them empty. Every value encodes its round, source, destination
// and place in the message.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::testing {

/// Number of words of the message from rank a to rank b: 0 to 99, so at most 792 bytes.
inline std::uint64_t words(Rank a, Rank b) {
  return (a * 31 + b * 17) % 7 == 0 ? 0 : (a * 13 + b * 29) % 100;
}

/// One node's messages to and from its group. A packet's place combines two numbers: that of its
/// sender in the group, and its own in the message.
class IndexedMessages final : public Messages {
 public:
  /// `per_packet`: bytes of a full packet, a multiple of 8 (ExchangePlan::data_bytes()). `least`:
  /// minimum number of words of a message; if it is 0, some messages are empty.
  explicit IndexedMessages(const Group& group, unsigned per_packet = kPayloadBytes,
                           std::uint64_t least = 0)
      : group_(group), per_packet_(per_packet), least_(least), in_(group.size()) {
    for (Rank m = 0; m < group.size(); ++m)
      in_[m].words.resize(std::max(least, words(group.rank(m), rank())));
  }
  /// Sets the round of the next start; the words sent and expected follow from it.
  void set_round(std::uint64_t round) { round_ = round; }

  std::uint64_t bytes_to(Rank member) const override {
    return 8 * std::max(least_, words(rank(), group_.rank(member)));
  }
  std::uint64_t packets_expected() const override {
    std::uint64_t sum = 0;
    for (Rank m = 0; m < group_.size(); ++m)
      if (m != group_.self()) sum += packets(8 * in_[m].words.size());
    return sum;
  }
  std::uint32_t most_packets() const override {
    std::uint32_t most = 0;
    for (Rank m = 0; m < group_.size(); ++m)
      if (m != group_.self()) most = std::max(most, packets(bytes_to(m)));
    return most;
  }
  MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const override {
    EXPECT_NE(member, group_.self());
    return run_of(bytes_to(member), per_packet_, first, limit);
  }
  bool has_payload() const override { return true; }
  bool has_places() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override {
    EXPECT_FALSE(payload.empty());
    EXPECT_EQ(payload.size() % 8, 0u);
    for (std::size_t i = 0; i < payload.size() / 8; ++i) {
      const std::uint64_t value = word(rank(), group_.rank(member), packet * per_packet_ / 8 + i);
      std::memcpy(payload.data() + 8 * i, &value, 8);
    }
    return group_.self() << 8 | packet;
  }
  void arrive_at(std::uint32_t place, std::span<const std::byte> payload) override {
    arrive(place >> 8, place & 0xff, payload);
  }
  void arrive(Rank from, std::uint32_t packet, std::span<const std::byte> payload) override {
    Incoming& in = in_.at(from);
    const std::size_t begin = std::size_t{packet} * per_packet_ / 8;
    ASSERT_LE(8 * begin + payload.size(), 8 * in.words.size());
    std::memcpy(in.words.data() + begin, payload.data(), payload.size());
    in.bytes += payload.size();
  }
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override {
    std::vector<TrafficEntry> entries;
    for (Rank a = 0; a < group_.size(); ++a)
      for (Rank b = 0; b < group_.size(); ++b)
        entries.push_back({a, b, 8 * std::max(least_, words(group_.rank(a), group_.rank(b)))});
    return std::make_unique<MatrixTraffic>("indexed", group_.size(), std::move(entries));
  }
  void pack(Rank member, std::vector<std::byte>& bytes) const override {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + bytes_to(member));
    gather(member, 0, std::span(bytes).subspan(begin));
  }
  void unpack(Rank from, std::span<const std::byte> bytes) override { arrive(from, 0, bytes); }

  /// Checks that every byte of this round has come exactly once. Clears everything for the next
  /// round.
  void expect_complete() {
    for (Rank m = 0; m < group_.size(); ++m) {
      if (m == group_.self()) continue;
      Incoming& in = in_[m];
      ASSERT_EQ(in.bytes, 8 * in.words.size()) << m << " to " << rank();
      for (std::uint64_t i = 0; i < in.words.size(); ++i)
        ASSERT_EQ(in.words[i], word(group_.rank(m), rank(), i)) << m << " to " << rank();
      in.bytes = 0;
      std::ranges::fill(in.words, 0);
    }
  }

 private:
  struct Incoming {
    std::vector<std::uint64_t> words{};
    std::uint64_t bytes = 0;  ///< number of bytes that have come
  };
  Rank rank() const { return group_.rank(group_.self()); }
  std::uint32_t packets(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>((bytes + per_packet_ - 1) / per_packet_);
  }
  std::uint64_t word(Rank a, Rank b, std::uint64_t i) const {
    return (round_ + 1) << 52 | std::uint64_t{a} << 36 | std::uint64_t{b} << 20 | i;
  }

  Group group_;
  unsigned per_packet_;
  std::uint64_t least_;
  std::uint64_t round_ = 0;
  std::vector<Incoming> in_;  ///< indexed by member
};

/// A program that performs one exchange of such messages and checks what has arrived.
inline Program exchange_indexed(Node& node, Group group, const ExchangePlan* plan) {
  IndexedMessages messages(group);
  Exchange exchange(node, kFirstUserHandler, group, *plan, messages);
  exchange.start();
  const std::uint64_t expected = exchange.expected();
  co_await node.until(exchange.received(), expected);
  messages.expect_complete();
  co_await node.until(exchange.sent(), 1);  // the exchange lives until its packets have left
}

}  // namespace toroid::testing
