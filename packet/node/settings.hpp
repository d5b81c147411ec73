// The settings of a policy: what a node decides besides the order of its visits and the relays. One
// struct serves policies, nodes and the command line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"

namespace toroid {

enum class RoutingRule : std::uint8_t {
  adaptive,       ///< in any minimal direction; may escape to the bubble channel
  deterministic,  ///< in the bubble channel only, dimension by dimension
  random_order,   ///< each packet takes the dimensions in a random order, and may escape to the
                  ///< bubble channel. Packets of one message that are queued together have the same
                  ///< order
  priority,       ///< like deterministic, but in the priority channel and from injection FIFOs of
                  ///< high priority
};
inline constexpr std::array<std::string_view, 4> kRoutingRuleNames = {"adaptive", "deterministic",
                                                                      "random-order", "priority"};
/// Whether packets may take dynamic channels.
constexpr bool is_dynamic(RoutingRule rule) {
  return rule == RoutingRule::adaptive || rule == RoutingRule::random_order;
}
/// The channel in the headers of packets.
constexpr VirtualChannel channel_under(RoutingRule rule) {
  if (is_dynamic(rule)) return VirtualChannel::dynamic0;
  return rule == RoutingRule::priority ? VirtualChannel::priority : VirtualChannel::bubble;
}

/// How a message's bytes get from node to node.
enum class TransferMode : std::uint8_t {
  packets,   ///< gathered into packets and stored from them
  put,       ///< by put wherever the fabric can, even short messages
  automatic  ///< by put if the fabric can and it is worth while, otherwise in packets
};
inline constexpr std::array<std::string_view, 3> kTransferModeNames = {"packets", "put", "auto"};

/// The patent's b, the packets per visit, if neither policy nor user set it. It is small on a
/// model, where the path of every packet takes time, and large elsewhere, where only the host's own
/// work takes time. Messages that may move by put are sent in a single visit.
inline constexpr std::uint32_t kModelledPacketsPerVisit = 1;
inline constexpr std::uint32_t kCarriedPacketsPerVisit = 32;
inline constexpr std::uint32_t kPutPacketsPerVisit = 1u << 20;

/// Limits how fast a node injects its own packets.
struct Throttle {
  double cycles_per_packet = 0;  ///< mean time between packets in machine cycles; 0 for no limit
  std::uint32_t window = 0;      ///< most packets unacknowledged at once; 0 for no limit
};

/// All settings of a policy. Order, packets per visit and throttle are read by every exchange, the
/// other settings when nodes and FIFOs are built.
struct PolicySettings {
  std::optional<OrderRule> order{};     ///< replaces the policy's order(); none if that stays
  std::uint32_t packets_per_visit = 0;  ///< the patent's b; 0 for the node's default
  unsigned output_queues = 1;           ///< the patent's L
  bool queue_per_direction = false;     ///< replaces L: one queue per link, chosen by the first
                                        ///< direction that a packet may take
  unsigned queue_capacity = 16;         ///< descriptors per queue; post() may exceed it
  DrainRule drain = DrainRule::least_full;
  FifoLinks tying = FifoTying::per_direction;
  RoutingRule routing = RoutingRule::adaptive;
  std::optional<TieRule> tie{};  ///< none for the machine's, see tie_rule_of()
  Throttle throttle{};
};

/// The most output queues of a node that a user may ask for: one per peer on a machine of 32,768
/// nodes.
inline constexpr unsigned kMostQueues = 32767;
/// The most packets per visit, per queue or per window.
inline constexpr std::uint32_t kMostPackets = 1u << 24;
/// The most cycles between two packets of a throttled node.
inline constexpr double kMostCyclesPerPacket = 0x1p48;

/// Names the first setting that is out of its range, with its value and the range; empty if there
/// is none. `nodes`: the number of nodes that exchange. Settings may come from code that this
/// program does not know, so rules may have values that no rule has.
std::string fault_of(const PolicySettings& settings, Rank nodes);

/// The rule for ties under these settings. Throws BadInput if headers of the machine cannot carry
/// the hints that the rule sets.
TieRule tie_rule_of(const PolicySettings& settings, const Machine& machine);

/// The settings that concern links. They matter only if packets go hop by hop.
inline auto link_settings(const PolicySettings& settings) {
  return std::tuple(settings.drain, settings.tying, settings.routing, settings.tie);
}

/// A user's changes to a policy's settings. Settings without a value here stay as in the policy.
struct SettingChanges {
  std::optional<OrderRule> order{};
  std::optional<std::uint32_t> packets_per_visit{};
  std::optional<unsigned> output_queues{};
  std::optional<bool> queue_per_direction{};
  std::optional<unsigned> queue_capacity{};
  std::optional<DrainRule> drain{};
  std::optional<FifoLinks> tying{};
  std::optional<RoutingRule> routing{};
  std::optional<TieRule> tie{};
  std::optional<double> cycles_per_packet{};
  std::optional<std::uint32_t> window{};

  /// A queue per direction replaces the policy's number of output queues.
  PolicySettings applied_to(PolicySettings settings) const {
    if (order) settings.order = order;
    settings.packets_per_visit = packets_per_visit.value_or(settings.packets_per_visit);
    if (queue_per_direction.value_or(false)) settings.output_queues = 1;
    settings.output_queues = output_queues.value_or(settings.output_queues);
    settings.queue_per_direction = queue_per_direction.value_or(settings.queue_per_direction);
    settings.queue_capacity = queue_capacity.value_or(settings.queue_capacity);
    settings.drain = drain.value_or(settings.drain);
    settings.tying = tying.value_or(settings.tying);
    settings.routing = routing.value_or(settings.routing);
    if (tie) settings.tie = tie;
    Throttle& throttle = settings.throttle;
    throttle.cycles_per_packet = cycles_per_packet.value_or(throttle.cycles_per_packet);
    throttle.window = window.value_or(throttle.window);
    return settings;
  }
};

}  // namespace toroid
