// A packet scheduling policy: everything a node decides between having a message and handing its
// packets to the hardware. The same object runs on every fabric, for traffic and transforms alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The case for which a policy chooses its settings: a machine, or the part of it whose nodes
/// exchange with one another, and the traffic to carry. The traffic names nodes by their ranks in
/// `shape`.
struct PolicyCase {
  const Shape& shape;
  const Machine& machine;
  const Traffic& traffic;
};

/// A node that asks for the order in which it visits the others.
struct Visitor {
  const Shape& shape;       ///< shape of the nodes that exchange: the machine, a plane or a line of
                            ///< it
  Rank self;                ///< rank in that shape
  std::uint64_t seed;       ///< the same for all nodes
  std::uint32_t round = 0;  ///< round of the exchange (the patent's d), from 0; see changes_order()
  Rank identity;            ///< the node's rank in the whole machine

  /// A seed that no other node of the machine has; it makes an order private.
  std::uint64_t private_seed() const { return mix64(seed) ^ identity; }
};

/// A packet, or a block of a combined message, on its way. Ranks are those in the shape of the
/// nodes that exchange.
struct Waypoint {
  unsigned stage;  ///< 0 at the origin
  Rank here;
  Rank origin;
  Rank to;
  std::uint64_t key;  ///< a random number for the packet or, if messages are combined, for the pair
                      ///< of origin and destination
};

/// Decides how a node sends its messages. All calls are const and may come from several threads at
/// once.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;
  // One line each: who described the policy, and what is known about it.
  virtual std::string_view source() const = 0;
  virtual std::string_view known_result() const = 0;

  /// The settings for a case. Order, b and throttle are taken from the settings for each exchange.
  /// The settings with which nodes and FIFOs are built are taken once per run, for the traffic of
  /// its first exchange. A node has as many output queues as the exchange that asks for most.
  virtual PolicySettings settings(const PolicyCase&) const { return {}; }
  /// The order in which a node visits all other nodes of its shape, each once.
  virtual SendOrder order(const Visitor& visitor) const = 0;
  /// Whether order() depends on the round. If not, it is called only once.
  virtual bool changes_order() const { return false; }

  // For policies that send through other nodes' processors.
  /// Number of passes that every packet's way is divided into, 1 to 255.
  virtual unsigned stages(const Shape&) const { return 1; }
  /// The node where the pass of this stage ends; if it is `here`, the packet skips the stage. In
  /// the last stage everything goes to `to`, whatever this returns.
  virtual Rank relay(const Shape&, const Waypoint& packet) const { return packet.to; }
  /// Whether the passes of each packet together form a shortest way. If so, the bounds for shortest
  /// ways hold for the policy.
  virtual bool keeps_to_shortest_ways(const Shape& shape) const { return stages(shape) == 1; }
  /// Whether messages are combined. If not, packets are sent on as they come, with one output queue
  /// per stage. If so, a stage begins when the previous one is complete, and everything that a node
  /// sends to the same node in a stage goes as one message.
  virtual bool combines() const { return false; }

  // For policies that delay messages. They can do so on the model only, because other fabrics have
  // no virtual time.
  /// Whether release() holds messages back. If not, it is not called.
  virtual bool has_releases() const { return false; }
  /// When a message may leave, in cycles after the node has started the exchange. Until then the
  /// node sends no packet of its message to `to`, nor of the messages to nodes that it visits later
  /// in the round.
  virtual Tick release(const Shape&, Rank /*self*/, Rank /*to*/) const { return 0; }
};

}  // namespace toroid
