// The all-to-all with real payloads of uneven length, some of them empty, in lines, planes and the
// whole machine. Every value is its own index: source, destination and place in the message.
#include "packet/all_to_all.hpp"

#include <gtest/gtest.h>

#include "tests/router/sim_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

/// Words of the message from a to b: 0 to 99, the longest of 792 bytes in four packets.
std::uint64_t words(Rank a, Rank b) {
  return (a * 31 + b * 17) % 7 == 0 ? 0 : (a * 13 + b * 29) % 100;
}

std::uint64_t word(Rank a, Rank b, std::uint64_t i) {
  return std::uint64_t{a} << 40 | std::uint64_t{b} << 20 | i;
}

std::uint32_t packets_for(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + kPayloadBytes - 1) / kPayloadBytes);
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
      if (m != group_.self()) most = std::max(most, packets_for(bytes_to(m)));
    return most;
  }
  bool has_payload() const override { return true; }
  std::uint32_t argument(Rank, std::uint32_t packet) const override {
    return group_.self() << 8 | packet;
  }
  void gather(Rank member, std::uint32_t packet, std::span<std::byte> payload) const override {
    EXPECT_FALSE(payload.empty());
    EXPECT_EQ(payload.size() % 8, 0u);
    for (std::size_t i = 0; i < payload.size() / 8; ++i) {
      const std::uint64_t value = word(rank(), group_.rank(member), packet * 30 + i);
      std::memcpy(payload.data() + 8 * i, &value, 8);
    }
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

Program exchange(Node& node, unsigned first, unsigned last, std::uint32_t per_visit) {
  const Group group(node.shape(), first, last, node.rank());
  IndexedMessages messages(group);
  AllToAll all_to_all(node, kHandler, group, messages, {per_visit});
  all_to_all.start();
  const std::uint64_t expected = all_to_all.expected();
  co_await node.until(all_to_all.received(), expected);
  messages.expect_complete();
  co_await node.until(all_to_all.sent(), 1);  // others may still need the exchange
}

void run_exchange(const char* text, unsigned first, unsigned last, std::uint32_t per_visit,
                  NodeOptions options = {}) {
  SimMachine machine(Shape::parse(text), options);
  machine.run([&](Node& node) { return exchange(node, first, last, per_visit); });
  for (Rank r = 0; r < machine.size(); ++r) EXPECT_TRUE(machine.node(r).finished()) << text;
}

TEST(AllToAll, DeliversUnevenMessagesOverTheWholeMachine) {
  for (const char* shape : {"2", "7", "3x3", "4x4m", "3x2x4", "2x2x2x2x2"})
    for (const std::uint32_t per_visit : {1u, 2u, 5u})
      run_exchange(shape, 0, Shape::parse(shape).dims(), per_visit);
}

TEST(AllToAll, OfASingleNodeEndsAtOnce) {
  run_exchange("1", 0, 1, 1);
}

TEST(AllToAll, DeliversWithinLinesAndPlanes) {
  for (const std::uint32_t per_visit : {1u, 2u, 5u})
    for (unsigned first = 0; first < 3; ++first)
      for (unsigned last = first; last <= 3; ++last) run_exchange("4x3x5", first, last, per_visit);
}

TEST(AllToAll, DeliversWithEveryOrderRoutingAndQueueSize) {
  for (const auto order : {OrderRule::random, OrderRule::rank, OrderRule::shift})
    for (const auto routing : {RoutingRule::adaptive, RoutingRule::deterministic})
      for (const std::size_t capacity : {1u, 16u})
        run_exchange("3x4x3", 0, 3, 2,
                     {.order = order,
                      .routing = routing,
                      .tie = TieRule::split,
                      .output_queues = 3,
                      .queue_capacity = capacity});
}

TEST(UniformMessages, CountTheirPackets) {
  for (const auto& [bytes, packets] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {0, 0}, {1, 1}, {240, 1}, {241, 2}, {480, 2}, {1000, 5}}) {
    const UniformMessages messages(9, bytes);
    EXPECT_EQ(messages.most_packets(), packets);
    EXPECT_EQ(messages.packets_expected(), 8u * packets);
    EXPECT_EQ(messages.bytes_to(3), bytes);
  }
}

}  // namespace
}  // namespace toroid
