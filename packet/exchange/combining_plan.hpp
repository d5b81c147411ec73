// Which node sends which blocks to which node in each stage of a policy that combines messages. It
// is found once for all nodes, by following the way of every block.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/messages.hpp"

namespace toroid {

class ExchangePlan;
class Traffic;

class CombiningPlan {
 public:
  /// The largest number of nodes. It is limited because following the way of every block takes a
  /// time that grows with the square of the number of nodes.
  static constexpr Rank kMostNodes = 8192;

  struct Block {
    Rank origin;
    Rank to;
    std::uint64_t bytes;
  };
  /// Everything that one node sends to another in one stage.
  struct Message {
    Rank to;
    std::uint64_t bytes;
    std::vector<Block> blocks;  ///< in the order of their bytes in the message; empty if no payload
                                ///< travels
    MessageCut cut{};
  };

  /// Throws BadInput if there are more than kMostNodes nodes, or if a message has too many packets
  /// to be numbered.
  CombiningPlan(const ExchangePlan& exchange, const Traffic& traffic);

  unsigned stages() const { return static_cast<unsigned>(messages_.size()); }
  /// The messages that a node sends in a stage, ascending by destination.
  const std::vector<Message>& messages(unsigned stage, Rank from) const {
    return messages_[stage][from];
  }
  /// The message from one node to another in a stage. REQUIRES: there is one.
  const Message& message(unsigned stage, Rank from, Rank to) const;
  /// Number of packets that reach a node in a stage.
  std::uint64_t expected(unsigned stage, Rank to) const { return expected_[stage][to].packets; }
  /// The packets that reach a node in all stages, numbered as by ExchangePlan::id().
  Arrivals expected(Rank to) const;

  /// A packet's number among all packets that go from one node to another in all stages. Its upper
  /// bits are the stage.
  std::uint32_t number(unsigned stage, std::uint32_t packet) const {
    return static_cast<std::uint32_t>(std::uint64_t{stage} << packet_bits_ | packet);
  }
  unsigned stage(std::uint32_t number) const {
    return static_cast<unsigned>(std::uint64_t{number} >> packet_bits_);
  }
  std::uint32_t packet(std::uint32_t number) const {
    return static_cast<std::uint32_t>(number & ((std::uint64_t{1} << packet_bits_) - 1));
  }

 private:
  void walk(const ExchangePlan& exchange, Block block);
  Message& message_to(unsigned stage, Rank from, Rank to);
  void count(const ExchangePlan& exchange);

  std::vector<std::vector<std::vector<Message>>> messages_;  ///< [stage][from]
  std::vector<std::vector<Arrivals>> expected_;              ///< [stage][to]
  unsigned packet_bits_;                                     ///< low bits of number(), which hold
                                                             ///< the packet; at most 32
};

}  // namespace toroid
