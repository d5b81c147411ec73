// An exchange of any traffic under any policy on any fabric, used to compare policies.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/immovable_array.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
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
  /// Whether data travels and is checked where it arrives. If not, packets have their length on the
  /// wire but contain only what the model needs to tell them apart.
  bool payload = false;
  Rank peers = ~Rank{0};     ///< a node sends only to the first `peers` of its order; if these are
                             ///< not all, the exchange is a sample
  SettingChanges changes{};  ///< changes to the policy's settings
  TransferMode transfer = TransferMode::automatic;
  /// b, the packets per visit, if neither policy nor changes set it. 0 stands for 1 without
  /// payload, and for 32 with payload.
  std::uint32_t packets_per_visit = 0;
  /// Whether check_without() may be called. REQUIRES: `payload`, and no message moves by put.
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
  /// Policy and traffic must outlive this object. Throws BadInput if the policy cannot carry the
  /// traffic.
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
  /// Checks a run that went on without some nodes. `is_lost[rank]` says whether the node of this
  /// rank was lost. Returns what is missing at the nodes of this process, by destination and
  /// source. Throws RunFailed if anything that the other nodes sent is missing, surplus or damaged.
  std::vector<MissingMessage> check_without(const std::vector<bool>& is_lost) const;
  /// Why nodes would wait in vain if others were lost; empty if they would not.
  std::string needs_all_nodes() const;
  /// Histogram of the cycles from injection to handler, for the packets that reached these nodes.
  /// It is empty if data travels straight to its destination, because such packets have no room for
  /// a time.
  LatencyHistogram latency() const;
  /// The time at which the last packet reached these nodes, in ticks.
  Tick last_arrival() const;
  // Sums over the nodes: packets forwarded for others, and acknowledgements sent.
  std::uint64_t forwarded() const;
  std::uint64_t acknowledgements() const;

  /// Why the state of this exchange cannot be saved; empty if it can be saved.
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
    alignas(64) Exchange exchange;  // the class itself is not aligned, because g++ 12 does not
                                    // align coroutine frames
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
  /// [lane]: latencies of its nodes' packets. If every node had its own histogram, the histograms
  /// of many nodes would not fit into the caches.
  std::deque<LaneLatency> latencies_;
  ImmovableArray<Part> parts_;  ///< nodes refer to them
};

}  // namespace toroid
