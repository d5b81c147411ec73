// An exchange of any traffic under any policy on any fabric, used to compare policies.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/pinned_array.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/traffic_messages.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

class Archive;

struct TrafficExchangeOptions {
  std::uint64_t seed = 1;
  HandlerId handler = kFirstUserHandler;  ///< the first of the two handlers that the exchange uses
  /// Whether data travels, and is checked. If not, packets have their length on the wire but
  /// contain only what the model needs to tell them apart.
  bool payload = false;
  Rank peers = ~Rank{0};     ///< a node sends only to the first `peers` of its order; fewer
                             ///< than all: a sample
  SettingChanges changes{};  ///< changes to the policy's settings
  TransferMode transfer = TransferMode::automatic;
  /// b if neither policy nor changes set it; 0: 1 without payload, 32 with it.
  std::uint32_t packets_per_visit = 0;
  /// Whether check_without() may be called. REQUIRES: `payload`, in packets.
  bool counts_sources = false;
};

/// The missing part of the message between a pair of nodes.
struct MissingMessage {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  ///< payload bytes
};

/// The parts of all nodes of this process in an exchange. Protocol: construct it; make the nodes
/// with node_options() and the fabric with settings().tying; attach() every node; run the fabric;
/// check().
class TrafficExchange {
 public:
  /// Policy and traffic must outlive it. Throws BadInput if they do not fit each other.
  TrafficExchange(const Policy& policy, const Traffic& traffic, const Shape& shape,
                  const Machine& machine, const TrafficExchangeOptions& options = {});

  const ExchangePlan& plan() const { return plan_; }
  const Traffic& traffic() const { return *traffic_; }
  const PolicySettings& settings() const { return plan_.settings(); }
  NodeOptions node_options() const;
  /// Makes the node's part and gives the node the program that runs it. Throws RunFailed if the
  /// policy's order leaves out a node or visits one twice.
  void attach(Node& node);

  /// Throws RunFailed if a packet was lost or arrived twice, or if data is not what was sent. The
  /// message names the policy, and the source and destination if the sums of Arrivals identify
  /// them. May also be called after the fabric's run() has thrown.
  void check() const;
  /// Checks a run that went on without some nodes. `is_lost[rank]`: the node of this rank was lost.
  /// Returns what is missing at the nodes of this process, by destination and source. Throws
  /// RunFailed if anything that the other nodes sent is missing, surplus or damaged.
  std::vector<MissingMessage> check_without(const std::vector<bool>& is_lost) const;
  /// Why nodes would wait in vain if others were lost; empty: they would not.
  std::string needs_all_nodes() const;
  /// Cycles from injection to handler of the packets that reached these nodes. Empty if data
  /// travels straight to its destination: such packets have no room for a time.
  LatencyHistogram latency() const;
  /// The time at which the last packet arrived, in ticks.
  Tick last_arrival() const;
  // Sums over the nodes: packets forwarded for others, and acknowledgements sent.
  std::uint64_t forwarded() const;
  std::uint64_t acknowledgements() const;

  /// Why the state of this exchange cannot be saved; empty: it can be saved.
  std::string cannot_be_saved() const;
  /// Saves the state of all nodes and of their parts, or loads it into nodes that are attached and
  /// have taken no turn. REQUIRES: cannot_be_saved() is empty, nothing is recorded, all nodes of
  /// the machine are in this process, and no node is taking a turn.
  void serialize(Archive& archive);

 private:
  struct Part {
    Part(Node& node, TrafficExchange& all);
    Arrivals expected(const TrafficExchange& all) const;
    Node* node;
    TrafficMessages messages;
    alignas(64) Exchange exchange;  // not the class itself: g++ 12 does not align coroutine frames
  };
  struct alignas(64) LaneLatency {
    LatencyHistogram histogram;
  };
  LatencyHistogram& latency_of(const Node& node);
  const CombiningPlan& combining() const;
  void check_sums() const;
  void check_data(const Part& part) const;
  RunFailed failed(const std::string& what) const;

  const Traffic* traffic_;
  TrafficExchangeOptions options_;
  ExchangePlan plan_;
  /// [lane]: latencies of its nodes' packets. With a histogram per node, those of many nodes would
  /// not fit into the caches.
  std::deque<LaneLatency> latencies_;
  PinnedArray<Part> parts_;  ///< nodes refer to them
};

}  // namespace toroid
