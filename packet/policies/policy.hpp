// A packet scheduling policy: everything a node decides between having a message and handing its
// packets to the hardware. The same object runs on every fabric.
#pragma once

#include <cstdint>
#include <string_view>

#include "hal/drain.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// How fast a node lets its own packets go. 0: no limit.
struct Throttle {
  double cycles_per_packet = 0;  ///< of the machine's clock, on average, between two packets
  std::uint32_t window = 0;  ///< packets sent and not yet received by their destination, at most
};

/// What the hardware and the packet layer are told, one value each.
struct PolicySettings {
  std::uint32_t packets_per_visit = 0;  ///< the patent's b; 0: 1 where packets are modelled, else
                                        ///< as many as make the host's work little
  unsigned output_queues = 1;           ///< the patent's L
  bool queue_per_direction = false;     ///< instead: a queue per link, that of the first direction
                                        ///< that a packet may take
  unsigned queue_capacity = 16;         ///< packets, or runs of them
  DrainRule drain = DrainRule::least_full;
  FifoTying tying = FifoTying::per_direction;
  RoutingRule routing = RoutingRule::adaptive;
  TieRule tie = TieRule::parity;
  Throttle throttle{};
};

/// What a policy is asked about: a machine, and what it is to carry.
struct PolicyCase {
  const Shape& shape;
  const Machine& machine;
  const Traffic& traffic;
};

/// A packet, or a block of a combined message, on its way.
struct Waypoint {
  unsigned stage;  ///< 0 where it begins
  Rank here;
  Rank origin;
  Rank to;
  std::uint64_t key;  ///< a random number of its own: of the packet, or where messages are combined
                      ///< of its origin and destination
};

/// All calls are const and may come from several threads at once.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;
  /// Where it comes from, and what is known of it: a line each.
  virtual std::string_view source() const = 0;
  virtual std::string_view known_result() const = 0;

  virtual PolicySettings settings(const PolicyCase&) const { return {}; }
  /// In which order node `self` visits all other nodes, each once. `round` counts the rounds of one
  /// exchange (the patent's d) from 0; see changes_order().
  virtual SendOrder order(const Shape& shape, Rank self, std::uint64_t seed,
                          std::uint32_t round) const = 0;
  /// Whether order() depends on the round. It is asked once otherwise.
  virtual bool changes_order() const { return false; }

  // Policies that go by way of other nodes' processors.
  /// Legs of the way, 255 at most.
  virtual unsigned stages(const Shape&) const { return 1; }
  /// Where the leg of this stage ends; `here` itself: it skips the stage. In the last stage
  /// everything reaches `to`, whatever this says.
  virtual Rank relay(const Shape&, const Waypoint& packet) const { return packet.to; }
  /// Whether the legs of every way together are a shortest one: what bounds shortest ways then
  /// bounds the policy.
  virtual bool keeps_to_shortest_ways(const Shape& shape) const { return stages(shape) == 1; }
  /// False: packets are sent on as they come, those of each stage from an output queue of its own.
  /// True: a stage begins when the one before is complete, and everything that goes to the same
  /// node goes as one message.
  virtual bool combines() const { return false; }
};

}  // namespace toroid
