// What all nodes of an exchange share: the policy, its settings, and how packets are identified.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

class CombiningPlan;

/// How a packet identifies itself at its destination.
enum class PacketLabel : std::uint8_t {
  place,     ///< the argument is its place at the destination; no other label travels
  number,    ///< the argument holds its sender and its number in the message
  envelope,  ///< the payload begins with an envelope; the argument is the time of its injection
};

struct ExchangeFormat {
  std::uint64_t seed = 1;
  bool payload = true;    ///< whether payloads travel
  bool places = false;    ///< whether packets are identified by their places
                          ///< (Messages::has_places())
  Rank peers = ~Rank{0};  ///< a node sends only to the first `peers` of its order; if these are not
                          ///< all, the exchange is a sample
  std::string name = "the exchange";  ///< its name in errors and reports of stalled nodes
};

/// What all nodes of an exchange share: the policy with its settings, and the labels of packets. It
/// must outlive the exchange, and the policy must outlive the plan. All calls may come from several
/// threads.
class ExchangePlan {
 public:
  /// `shape`: the shape of the nodes that exchange, a slice of `machine` or all of it. Throws
  /// BadInput if the settings are impossible or do not fit the machine. REQUIRES:
  /// packets_per_visit > 0.
  ExchangePlan(const Policy& policy, const Shape& machine, const Shape& shape,
               const PolicySettings& settings, ExchangeFormat format);
  ExchangePlan(const ExchangePlan&) = delete;
  ~ExchangePlan();

  const Policy& policy() const { return *policy_; }
  const Shape& shape() const { return shape_; }
  const PolicySettings& settings() const { return settings_; }
  const ExchangeFormat& format() const { return format_; }
  const std::string& counter_name() const { return counter_name_; }
  unsigned stages() const { return stages_; }
  bool combines() const { return policy_->combines(); }
  /// Whether processors on the way forward packets, one by one.
  bool relays() const { return stages_ > 1 && !combines(); }
  bool has_window() const { return settings_.throttle.window > 0; }
  bool is_throttled() const { return settings_.throttle.cycles_per_packet > 0; }
  bool has_releases() const { return has_releases_; }
  /// The node sends nothing to `to` until this many cycles after its start of the exchange. Throws
  /// RunFailed, which names the node of rank `identity`, if `to` cannot be visited, or if the
  /// policy returns more than kLastRelease. REQUIRES: has_releases().
  Tick release(Rank self, Rank identity, Rank to) const;
  /// Whether a node sends to only some of the nodes that it has messages for.
  bool is_sample() const { return format_.peers < shape_.size() - 1; }
  /// Handlers that a node needs: one for packets and, with a window, one for acknowledgements.
  unsigned handlers() const { return has_window() ? 2 : 1; }
  /// Named queues that a node needs: one per stage except the first, one for acknowledgements.
  unsigned named_queues() const { return (relays() ? stages_ - 1 : 0) + (has_window() ? 1 : 0); }

  PacketLabel label() const { return label_; }
  /// Payload bytes of a full packet that its envelope takes. This is 0 if packets go straight to
  /// their destinations. Such packets have an envelope only if no payload travels, and then the
  /// model does not count the envelope's length.
  unsigned envelope_bytes() const { return relays() ? kEnvelopeBytes : 0; }
  /// Message bytes of a full packet.
  unsigned data_bytes() const { return kPayloadBytes - envelope_bytes(); }
  std::uint64_t packets(std::uint64_t bytes) const {
    return bytes / data_bytes() + (bytes % data_bytes() == 0 ? 0 : 1);
  }
  /// The largest number of packets, up to `limit`, that one descriptor may hold.
  std::uint32_t most_in_descriptor(std::uint32_t limit) const {
    return label_ == PacketLabel::envelope ? 1 : limit;
  }
  /// Throws BadInput if a message of `packets` packets has too many to number.
  void check_packets(std::uint64_t packets) const;

  /// A packet's id, which is unique among the packets that reach a node. origin() and number()
  /// return what it was made from.
  std::uint32_t id(Rank origin, std::uint32_t number) const {
    return static_cast<std::uint32_t>(std::uint64_t{origin} << number_bits_ | number);
  }
  Rank origin(std::uint32_t id) const {
    return static_cast<Rank>(std::uint64_t{id} >> number_bits_);
  }
  std::uint32_t number(std::uint32_t id) const {
    return static_cast<std::uint32_t>(id & ((std::uint64_t{1} << number_bits_) - 1));
  }
  unsigned number_bits() const { return number_bits_; }

  /// The order of a node's visits. If the policy gives a new order for every round, the orders of
  /// all rounds except the first are checked here.
  SendOrder order(const Visitor& visitor) const;
  Visitor visitor(Rank self, Rank identity, std::uint32_t round = 0) const {
    return {shape_, self, format_.seed, round, identity};
  }
  bool changes_order() const { return policy_->changes_order() && !settings_.order; }
  /// Throws RunFailed if the visitor's order leaves out a node or visits one twice. Orders that are
  /// not lists are checked only on machines of at most SendOrder::kStoredPeers nodes.
  void check_order(const Visitor& visitor) const;
  /// Throws RunFailed if a visit goes to the node itself or to one that does not exist.
  void check_visit(Rank self, Rank identity, Rank to) const {
    if (to == self || to >= shape_.size()) [[unlikely]]
      refuse_visit(identity, to, self);
  }
  /// The node to which a packet goes in its stage: the policy's relay or, in the last stage, the
  /// destination. Throws RunFailed, which names the node of rank `identity`, if the relay does not
  /// exist.
  Rank relay(const Waypoint& packet, Rank identity) const;
  /// A random number that follows from the seed and from `what`, which says what the number is for.
  std::uint64_t key(std::uint64_t what) const { return mix64(format_.seed ^ mix64(what)); }

  /// Which blocks go to which node in which stage. The first call computes it from `traffic()`;
  /// later calls find it by `group` and `number`, which identify the traffic. REQUIRES: combines().
  const CombiningPlan& combining(
      Rank group, std::uint64_t number,
      const std::function<std::unique_ptr<const Traffic>()>& traffic) const;

 private:
  static constexpr unsigned kEnvelopeBytes = 8;

  BadInput unfit(const std::string& why) const;
  void check_combines() const;
  void check_machine() const;
  void check_permutation(const Visitor& visitor, const SendOrder& order) const;
  [[noreturn]] void refuse_visit(Rank identity, Rank to, Rank self) const;
  [[noreturn]] void refuse_order(Rank identity, const std::string& why) const;
  /// The coordinates in the machine, as text, of a member of the group that node `identity` is in.
  std::string coord_text(Rank member, Rank identity) const;

  const Policy* policy_;
  Shape machine_;
  Shape shape_;
  PolicySettings settings_;
  ExchangeFormat format_;
  std::string counter_name_;
  unsigned stages_;
  bool has_releases_;
  unsigned number_bits_;
  PacketLabel label_;
  mutable std::mutex mutex_;  ///< guards combining_
  mutable std::map<std::pair<Rank, std::uint64_t>, std::unique_ptr<const CombiningPlan>> combining_;
};

/// The latest release time that a policy may give, in cycles.
inline constexpr Tick kLastRelease = Tick{1} << 48;

/// Policy::stages(). Throws BadInput if it is not from 1 to 255.
unsigned stages_of(const Policy& policy, const Shape& shape);
/// Policy::relay(). Throws RunFailed if it returns a node that does not exist.
Rank relay_of(const Policy& policy, const Shape& shape, const Waypoint& packet);
/// Whether packets go by way of other nodes, or messages are combined.
bool relays_or_combines(const Policy& policy, const Shape& shape);
/// The error message if puts are demanded under a policy that does not send messages straight to
/// their destinations.
std::string cannot_be_put(const Policy& policy);
/// How messages travel under a policy. If the policy relays or combines, messages go in packets,
/// unless the user demands puts.
TransferMode transfer_under(const Policy& policy, const Shape& shape, TransferMode asked);

/// The settings for an exchange: those of the policy with the user's changes. If neither policy nor
/// user sets b, it is `packets_per_visit`, but at most kCarriedPacketsPerVisit if the policy
/// reorders, throttles, relays or combines, because then a message needs several visits. Throws
/// BadInput if a setting is out of range, or if the policy has a queue per direction and the
/// changes give a number of queues.
PolicySettings settings_of(const Policy& policy, const SettingChanges& changes,
                           std::uint32_t packets_per_visit, const PolicyCase& policy_case);

}  // namespace toroid
