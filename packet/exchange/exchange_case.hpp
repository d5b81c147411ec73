// What all nodes of one exchange share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/all_to_all.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/node/handlers.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

struct PolicyExchangeOptions {
  std::uint64_t seed = 1;
  HandlerId handler = kFirstUserHandler;  ///< the first of two that the exchange takes
  /// Data travels, and is checked. Without, packets have their length on the wire and nothing in
  /// them but what the model needs to tell them apart.
  bool payload = false;
  Rank peers = ~Rank{0};  ///< that a node sends to, the first of its order; fewer: a sample
  std::optional<PolicySettings> settings{};  ///< instead of the policy's
  std::optional<OrderRule> order{};          ///< instead of the policy's
};

/// Outlives the exchange, and all that it refers to outlives it.
class ExchangeCase {
 public:
  /// Throws BadInput where the messages are too long to be told apart, where policy and machine do
  /// not fit each other, and where the policy's numbers are none that can be.
  ExchangeCase(const Policy& policy, const Traffic& traffic, const Shape& shape,
               const Machine& machine, const PolicyExchangeOptions& options);

  const Policy& policy() const { return *policy_; }
  const Traffic& traffic() const { return *traffic_; }
  const Shape& shape() const { return shape_; }
  const PolicyExchangeOptions& options() const { return options_; }
  const PolicySettings& settings() const { return settings_; }
  unsigned stages() const { return stages_; }
  const std::string& counter_name() const { return counter_name_; }

  /// Packets carry where they come from and go to: where processors send them on, and on a model.
  bool has_envelope() const { return !options_.payload || sends_on(); }
  /// Of the payload, that such an envelope takes. On a model it is no part of the payload where
  /// packets go straight to their destinations.
  unsigned envelope_bytes() const { return sends_on() ? kEnvelopeBytes : 0; }
  /// Of a message, in a full packet.
  unsigned data_bytes() const { return kPayloadBytes - envelope_bytes(); }
  std::uint64_t packets(std::uint64_t bytes) const {
    return bytes / data_bytes() + (bytes % data_bytes() == 0 ? 0 : 1);
  }
  /// Packets of a message that one descriptor may hold.
  MessageRun run(std::uint64_t bytes, std::uint32_t first, std::uint32_t limit) const {
    return run_of(bytes, data_bytes(), first, has_envelope() ? 1 : limit);
  }

  /// The number of a packet among all that reach a node.
  std::uint32_t id(Rank origin, std::uint32_t number) const {
    return origin << number_bits_ | number;
  }
  Rank origin(std::uint32_t id) const {
    return number_bits_ == 32 ? 0 : static_cast<Rank>(id >> number_bits_);
  }
  std::uint32_t number(std::uint32_t id) const {
    return static_cast<std::uint32_t>(id & ((std::uint64_t{1} << number_bits_) - 1));
  }

  /// Bits of an id that number the packets from one node to another.
  unsigned number_bits() const { return number_bits_; }

  SendOrder order(Rank self, std::uint32_t round) const;
  /// Throws RunFailed where an order leaves out a node that there is a message for, or visits one
  /// twice. Of orders that are no lists only on machines of SendOrder::kStoredPeers at most.
  void check_order(Rank self) const;
  /// Throws RunFailed where an order goes to no other node.
  void check_visit(Rank self, Rank to) const;
  /// The policy's, checked; in the last stage the destination.
  Rank relay(const Waypoint& packet) const;
  /// The random number of something that `what` names.
  std::uint64_t key(std::uint64_t what) const { return mix64(options_.seed ^ mix64(what)); }
  /// Whether a node leaves out some of those that it has messages for.
  bool is_sample() const { return options_.peers < shape_.size() - 1; }
  /// What reaches a node. REQUIRES: not a sample.
  Arrivals expected(Rank to) const;
  /// Of a node's longest message.
  std::uint64_t most_packets(Rank from) const;

 private:
  static constexpr unsigned kEnvelopeBytes = 8;

  /// Processors send single packets on.
  bool sends_on() const { return stages_ > 1 && !policy_->combines(); }
  Arrivals expected_of_equals(Rank to) const;
  BadInput unfit(const std::string& why) const;
  void check_settings() const;
  void check_combines() const;
  void check_machine() const;
  void check_lengths() const;
  [[noreturn]] void refuse_order(Rank self, const std::string& why) const;

  const Policy* policy_;
  const Traffic* traffic_;
  Shape shape_;
  PolicyExchangeOptions options_;
  PolicySettings settings_;
  unsigned stages_;
  unsigned number_bits_;
  std::string counter_name_;
};

}  // namespace toroid
